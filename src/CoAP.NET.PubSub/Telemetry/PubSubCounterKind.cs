namespace CoAP.NET.PubSub.Telemetry;

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
