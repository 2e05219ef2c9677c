namespace CoAP.NET;

/// <summary>The type of a message (RFC 7252 section 3).</summary>
/// <remarks>Stream transports have none (RFC 8323 section 3.2).</remarks>
public enum CoapMessageType : byte
{
    /// <summary>CON: must be acknowledged or rejected (RFC 7252 section 4.2).</summary>
    Confirmable = 0,

    /// <summary>NON: needs no acknowledgement (RFC 7252 section 4.3).</summary>
    NonConfirmable = 1,

    /// <summary>ACK: a Confirmable message arrived; may carry the response (RFC 7252 section 5.2.1).</summary>
    Acknowledgement = 2,

    /// <summary>RST: a message arrived, but its context is missing (RFC 7252 section 1.2).</summary>
    Reset = 3,
}
