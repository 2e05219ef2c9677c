using CoAP.NET.Settings;

namespace CoAP.NET.Cluster.Observing;

/// <summary>Options for storing and restoring observers.</summary>
[HasSettings]
internal sealed partial class CoapClusterObserverOptions
{
    /// <summary>The number of observers to restore per second.</summary>
    /// <remarks>
    /// Each one gets the newest state in a Confirmable notification. After a crash, waking 100,000 devices therefore takes 100 s.
    /// </remarks>
    [NumberRange(1, 1_000_000)]
    public partial int RestoresPerSecond { get; set; } = 1_000;

    /// <summary>The maximum number of changes of observers that wait for the store.</summary>
    /// <remarks>
    /// At the maximum a new change replaces the oldest change of the source (<see cref="CoapQuotaSource"/>) with the most, which counts as
    /// dropped (<see cref="CoapClusterObserverCounters.Dropped"/>).
    /// </remarks>
    [NumberRange(100, 10_000_000)]
    public partial int MaxWaiting { get; set; } = 50_000;
}
