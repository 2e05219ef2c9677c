namespace CoAP.NET.Oscore;

/// <summary>What is counted.</summary>
internal enum OscoreEvent
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
