namespace CoAP.NET.PubSub.Telemetry;

/// <summary>The counters of a broker.</summary>
internal enum PubSubCount
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
