namespace CoAP.NET.Dtls.Sessions;

/// <summary>Why a session ended.</summary>
internal enum DtlsEnd
{
    /// <summary>The peer said so (close_notify).</summary>
    ClosedByPeer,

    /// <summary>The peer said that something is wrong (a fatal alert).</summary>
    FailedByPeer,

    /// <summary>This end closed it.</summary>
    Closed,

    /// <summary>The peer made a new one from the same address.</summary>
    Replaced,

    /// <summary>It was silent for long, or others needed its place.</summary>
    Evicted,

    /// <summary>More records were forged than its cipher suite allows, or its numbers were used up.</summary>
    Exhausted,

    /// <summary>It lives on in what was saved; the peer does not notice.</summary>
    Saved,

    /// <summary>The numbers of records that it needs were not confirmed in time by the keeper of sessions.</summary>
    Unconfirmed,

    /// <summary>The keeper of sessions says that it is another server's now; the peer does not notice.</summary>
    TakenOver,

    /// <summary>Its peer did not answer, after a crash, what has to be known before anything unsafe is served.</summary>
    Unanswered,
}
