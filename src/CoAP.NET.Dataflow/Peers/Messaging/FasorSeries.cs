namespace CoAP.NET.Messaging;

/// <summary>
/// The series of timeouts of a message (draft-ietf-core-fasor-02 section 4.3). The fast timeout comes from samples, the slow one from the
/// duration of the previous message.
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
