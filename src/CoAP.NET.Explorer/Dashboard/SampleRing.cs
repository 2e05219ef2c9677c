namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The samples of the last 15 minutes, 900 at most. One thread at a time.</summary>
internal sealed class SampleRing
{
    /// <summary>How many samples are kept.</summary>
    public const int Capacity = 900;

    /// <summary>How long a sample is kept.</summary>
    public static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(15);

    private readonly Queue<DashboardSample> _samples = new();

    /// <summary>Keeps a sample.</summary>
    public void Add(DashboardSample sample)
    {
        Forget(sample.Time);
        _samples.Enqueue(sample);
        if (_samples.Count > Capacity)
        {
            _samples.Dequeue();
        }
    }

    /// <summary>The samples, the oldest first.</summary>
    /// <param name="now">The time; what is too old by then is forgotten.</param>
    public DashboardSample[] Read(DateTimeOffset now)
    {
        Forget(now);
        return [.. _samples];
    }

    private void Forget(DateTimeOffset now)
    {
        while (_samples.TryPeek(out DashboardSample? oldest) && now - oldest.Time > Lifetime)
        {
            _samples.Dequeue();
        }
    }
}
