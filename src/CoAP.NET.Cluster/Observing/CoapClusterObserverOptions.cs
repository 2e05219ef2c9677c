using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Observing;

internal sealed class CoapClusterObserverOptions
{
    /// <summary>The number of observers to restore per second, 1 to 1,000,000. Default 1,000.</summary>
    /// <remarks>
    /// Each one gets the newest state in a Confirmable notification. After a crash, waking 100,000 devices therefore takes 100 s.
    /// </remarks>
    public int RestoresPerSecond { get; set; } = 1_000;

    /// <summary>The maximum number of changes of observers that wait for the store, 100 to 10,000,000. Default 50,000.</summary>
    /// <remarks>
    /// At the maximum a new change replaces the oldest change of the source (<see cref="CoapQuotaSource"/>) with the most, which counts as
    /// dropped (<see cref="CoapClusterObserverCounters.Dropped"/>).
    /// </remarks>
    public int MaxWaiting { get; set; } = 50_000;

    internal CoapClusterObserverOptions Checked()
    {
        ValueGuard.InRange(RestoresPerSecond, 1, 1_000_000);
        ValueGuard.InRange(MaxWaiting, 100, 10_000_000);
        return (CoapClusterObserverOptions)MemberwiseClone();
    }
}
