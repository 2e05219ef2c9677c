namespace CoAP.NET.Messaging;

/// <summary>
/// The order in which a message waits (draft-ietf-core-fasor-02 section 4.3): the fast time-out is by samples, the slow one by how long the
/// message before took.
/// </summary>
internal enum FasorSeries : byte
{
    /// <summary>Fast, doubled each time. After a message that was sent once.</summary>
    Fast,

    /// <summary>Fast, slow, then fast doubled. After a message of <see cref="Fast"/> that was sent several times.</summary>
    FastSlowFast,

    /// <summary>Slow, then fast doubled. After any other message that was sent several times.</summary>
    SlowFast,
}
