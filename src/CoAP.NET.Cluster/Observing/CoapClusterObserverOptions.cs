namespace CoAP.NET.Cluster;

/// <summary>Bounds and pace of observers that are kept.</summary>
public sealed class CoapClusterObserverOptions
{
    /// <summary>
    /// How many observers are put back in a second: 1 to 1,000,000, 1,000 by default. Each is told the newest state by a Confirmable
    /// notification, so this is how fast devices are woken after a crash: 100,000 in 100 s.
    /// </summary>
    public int RestoresPerSecond { get; set; } = 1_000;

    /// <summary>
    /// How many changes of observers wait for the store: 100 to 10,000,000, 50,000 by default. For one more, the oldest goes of the source
    /// (<see cref="CoapSource"/>) that has most; what goes is counted (<see cref="CoapClusterObserverCounters.Dropped"/>).
    /// </summary>
    public int MaxWaiting { get; set; } = 50_000;

    internal CoapClusterObserverOptions Checked()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(RestoresPerSecond, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(RestoresPerSecond, 1_000_000);
        ArgumentOutOfRangeException.ThrowIfLessThan(MaxWaiting, 100);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(MaxWaiting, 10_000_000);
        return (CoapClusterObserverOptions)MemberwiseClone();
    }
}
