namespace CoAP.NET.PubSub.Telemetry;

/// <summary>What a broker counts.</summary>
internal enum PubSubCount
{
    Created,
    Changed,
    Ended,
    Expired,
    GaveWay,
    Publications,
    Forbidden,
    Invalid,
    TooFast,
    NoRoom,
    Unavailable,
}
