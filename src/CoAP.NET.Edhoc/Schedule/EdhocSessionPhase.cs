namespace CoAP.NET.Edhoc.Schedule;

/// <summary>The state of a session. Each step runs once and in this order (RFC 9528 section 5.1).</summary>
internal enum EdhocSessionPhase
{
    Start,
    AfterMessage1,
    AfterMessage2,
    Claimed,
    Proven,
    Complete,
    Failed,
}
