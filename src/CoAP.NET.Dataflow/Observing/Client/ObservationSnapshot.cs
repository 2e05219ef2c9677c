namespace CoAP.NET.Observing;

/// <summary>What observers see of a resource at one moment. Immutable, so that it may be read without a lock.</summary>
/// <param name="State">How far the observation is.</param>
/// <param name="Latest">What came last; null for nothing yet.</param>
/// <param name="Error">Why it is not observed at the moment; null when it is, or nothing went wrong.</param>
/// <param name="Version">How many responses were delivered so far.</param>
/// <param name="IsOver">Whether nothing will follow.</param>
internal sealed record ObservationSnapshot(CoapObserveState State, CoapResponse? Latest, CoapException? Error, long Version, bool IsOver)
{
    public static ObservationSnapshot Initial { get; } = new(CoapObserveState.Registering, null, null, 0, false);
}
