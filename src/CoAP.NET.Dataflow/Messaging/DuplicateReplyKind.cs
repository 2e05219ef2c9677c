namespace CoAP.NET.Messaging;

/// <summary>The answer to a duplicate of a finished message (RFC 7252 section 4.5).</summary>
internal enum DuplicateReplyKind : byte
{
    /// <summary>None: the message was Non-confirmable, or its reply was lost before it was encoded.</summary>
    Silence,

    /// <summary>The Empty acknowledgement again; the response, if any, was a separate one.</summary>
    EmptyAcknowledgement,

    /// <summary>The Reset again.</summary>
    Reset,

    /// <summary>The bytes of the piggybacked response again.</summary>
    Bytes,
}
