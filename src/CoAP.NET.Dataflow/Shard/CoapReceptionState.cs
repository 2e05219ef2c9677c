namespace CoAP.NET.Shard;

/// <summary>The progress of a received Confirmable or Non-confirmable message (RFC 7252 sections 4.2, 4.3, 5.2).</summary>
internal enum CoapReceptionState : byte
{
    /// <summary>Nothing was sent for it yet.</summary>
    Pending,

    /// <summary>An Empty acknowledgement was sent: the response will be separate.</summary>
    Acknowledged,

    /// <summary>The reply was handed over.</summary>
    Replied,

    /// <summary>A Reset was sent.</summary>
    Rejected,
}
