namespace CoAP.NET.Dtls.Sessions;

/// <summary>Why a session ended.</summary>
internal enum DtlsSessionEndReason
{
    /// <summary>The peer closed it (close_notify).</summary>
    ClosedByPeer,

    /// <summary>The peer reported an error (a fatal alert).</summary>
    FailedByPeer,

    /// <summary>This end closed it.</summary>
    Closed,

    /// <summary>The peer opened a new one from the same address.</summary>
    Replaced,

    /// <summary>It was silent for long, or the server needed its place.</summary>
    Evicted,

    /// <summary>It received more forged records than its cipher suite allows, or used up its numbers.</summary>
    Exhausted,

    /// <summary>Its state is saved and it continues elsewhere; the peer does not notice.</summary>
    Saved,

    /// <summary>The backup of sessions did not confirm the required record numbers in time.</summary>
    Unconfirmed,

    /// <summary>The backup of sessions reports that another server owns it now; the peer does not notice.</summary>
    TakenOver,

    /// <summary>The server does not accept the credentials of its client any more.</summary>
    Withdrawn,

    /// <summary>Its peer did not answer, after a crash, the question that must precede an unsafe request.</summary>
    Unanswered,
}
