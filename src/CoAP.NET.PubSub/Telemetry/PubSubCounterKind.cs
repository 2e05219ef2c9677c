namespace CoAP.NET.PubSub.Telemetry;

/// <summary>The counted events of a broker.</summary>
internal enum PubSubCounterKind
{
    Created,
    Changed,
    Ended,
    Expired,
    Evicted,
    Publications,
    Forbidden,
    Invalid,
    TooFast,
    NoCapacity,
    Unavailable,
}
