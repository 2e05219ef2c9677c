namespace CoAP.NET.Mesh;

/// <summary>What a <see cref="CoapOutbound"/> asks of the stages below.</summary>
public enum CoapOutboundKind : byte
{
    /// <summary>Send the message; as a reply when <see cref="CoapOutbound.Reception"/> is set.</summary>
    Message,

    /// <summary>Acknowledge the reception by an Empty message. Stays in Messaging if it was done already.</summary>
    Acknowledge,

    /// <summary>Reject the reception by a Reset (RFC 7252 section 4.2); a Non-confirmable one silently.</summary>
    Reject,

    /// <summary>Leave the reception without an answer: acknowledge a Confirmable one, be silent to others.</summary>
    Finish,

    /// <summary>Leave the reception as if it had never come: no acknowledgement, and a copy of it is a new message.</summary>
    Forget,

    /// <summary>Stop the transmission: no further copies, its place is free. Never leaves Messaging.</summary>
    Cancel,

    /// <summary>
    /// Reject the reception by a Reset, also a Non-confirmable one: that is how a server learns that a notification is not wanted (RFC 7641
    /// section 3.6).
    /// </summary>
    Reset,
}
