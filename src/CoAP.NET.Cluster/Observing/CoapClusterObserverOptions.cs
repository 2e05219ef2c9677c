namespace CoAP.NET.Cluster;

/// <summary>Bounds and pace of kept observers.</summary>
public sealed class CoapClusterObserverOptions
{
    /// <summary>
    /// How many observers are restored in a second: 1 to 1,000,000, 1,000 by default. Each receives the newest state in a Confirmable
    /// notification, so 100,000 devices are woken in 100 s after a crash.
    /// </summary>
    public int RestoresPerSecond { get; set; } = 1_000;

    /// <summary>
    /// The maximum number of changes of observers that wait for the store: 100 to 10,000,000, 50,000 by default. For one more, the oldest
    /// change of the source (<see cref="CoapSource"/>) with the most is dropped and counted
    /// (<see cref="CoapClusterObserverCounters.Dropped"/>).
    /// </summary>
    public int MaxWaiting { get; set; } = 50_000;

    internal CoapClusterObserverOptions Checked()
    {
        OptionRange.Check(RestoresPerSecond, 1, 1_000_000);
        OptionRange.Check(MaxWaiting, 100, 10_000_000);
        return (CoapClusterObserverOptions)MemberwiseClone();
    }
}
