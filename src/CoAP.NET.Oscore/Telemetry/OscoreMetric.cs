namespace CoAP.NET.Oscore.Telemetry;

/// <summary>The counted events.</summary>
internal enum OscoreMetric
{
    Protected,
    Verified,
    Malformed,
    UnknownContext,
    Replay,
    DecryptionFailed,
    Challenged,
    ResponseForged,
    ResponseRepeated,
    ResponseUnprotected,
    ContextFound,
    ContextNotFound,
    LookupFailed,
    LookupRefused,
    Reserved,
    ReservationFailed,
    NumbersReserved,
}
