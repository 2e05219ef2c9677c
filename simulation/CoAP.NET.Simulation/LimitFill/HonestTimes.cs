namespace CoAP.NET.Simulation.LimitFill;

/// <summary>How long the requests of honest clients took, and what went wrong. Safe for several threads.</summary>
internal sealed class HonestTimes
{
    private readonly Lock _gate = new();
    private readonly List<string> _troubles = [];

    public int Asked { get; private set; }

    public int Served => Asked - _troubles.Count;

    /// <summary>The request that took longest.</summary>
    public (string What, TimeSpan Time) Slowest { get; private set; } = ("", TimeSpan.Zero);

    public IReadOnlyList<string> Troubles => _troubles;

    public void Add(string what, TimeSpan time, string? trouble)
    {
        lock (_gate)
        {
            Asked++;
            if (trouble is not null)
            {
                _troubles.Add($"{what}: {trouble}");
            }

            if (time > Slowest.Time)
            {
                Slowest = (what, time);
            }
        }
    }
}
