namespace CoAP.NET.Oscore.Sequences;

/// <summary>Whether a caller got a sequence number, and otherwise why not.</summary>
internal enum SenderSequenceNumberResult : byte
{
    /// <summary>The caller has a number, which no other caller gets.</summary>
    Taken,

    /// <summary>The store has not confirmed the next numbers yet: wait with <see cref="OscoreSequence.WaitAsync"/> and retry.</summary>
    NotGranted,

    /// <summary>There is none; <see cref="OscoreSequence.Refusal"/> has the reason. The caller must not send.</summary>
    Refused,
}
