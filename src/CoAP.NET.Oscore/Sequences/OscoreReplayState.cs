namespace CoAP.NET.Oscore;

/// <summary>What a replay window knows.</summary>
internal enum OscoreReplayState : byte
{
    /// <summary>All: the context is new, or its window was kept.</summary>
    Synchronized,

    /// <summary>Nothing, as after a crash: which requests came before must be found out by Echo (RFC 8613 appendix B.1.2).</summary>
    Lost,
}
