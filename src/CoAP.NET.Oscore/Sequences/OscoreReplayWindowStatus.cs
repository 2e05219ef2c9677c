namespace CoAP.NET.Oscore.Sequences;

/// <summary>Whether a replay window is complete.</summary>
internal enum OscoreReplayWindowStatus : byte
{
    /// <summary>Complete: the context is new, or the store kept its window.</summary>
    Synchronized,

    /// <summary>Lost, as after a crash: an Echo has to find out which requests came before (RFC 8613 appendix B.1.2).</summary>
    Lost,
}
