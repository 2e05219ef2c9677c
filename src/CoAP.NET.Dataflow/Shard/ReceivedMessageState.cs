namespace CoAP.NET.Shard;

/// <summary>The progress of a received Confirmable or Non-confirmable message (RFC 7252 sections 4.2, 4.3, 5.2).</summary>
internal enum ReceivedMessageState : byte
{
    /// <summary>No reply yet.</summary>
    Pending,

    /// <summary>Answered with an Empty acknowledgement: the response will be separate.</summary>
    Acknowledged,

    /// <summary>Handed over with its reply.</summary>
    Replied,

    /// <summary>Rejected with a Reset.</summary>
    Rejected,
}
