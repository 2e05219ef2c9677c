namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The samples of the last 15 minutes, at most 900. One thread at a time.</summary>
internal sealed class SampleRing
{
    /// <summary>The maximum number of samples.</summary>
    public const int Capacity = 900;

    public static readonly TimeSpan Lifetime = TimeSpan.FromMinutes(15);

    private readonly Queue<DashboardSample> _samples = new();

    public void Add(DashboardSample sample)
    {
        Forget(sample.Time);
        _samples.Enqueue(sample);
        if (_samples.Count > Capacity)
        {
            _samples.Dequeue();
        }
    }

    /// <summary>Returns the samples, oldest first.</summary>
    /// <param name="now">The current time; older samples are discarded.</param>
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
