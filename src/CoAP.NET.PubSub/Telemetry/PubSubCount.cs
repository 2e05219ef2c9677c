namespace CoAP.NET.PubSub.Telemetry;

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
