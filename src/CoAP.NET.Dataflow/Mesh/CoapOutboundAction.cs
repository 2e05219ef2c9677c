namespace CoAP.NET;

/// <summary>The actions that a <see cref="CoapOutbound"/> requests of the stages below.</summary>
public enum CoapOutboundAction : byte
{
    /// <summary>Send the message; as a reply when it answers a received message.</summary>
    Message,

    /// <summary>Acknowledge the received message with an Empty message, unless that was already done. Stays in Messaging then.</summary>
    Acknowledge,

    /// <summary>Reject the received message with a Reset (RFC 7252 section 4.2); ignore a Non-confirmable one silently.</summary>
    Reject,

    /// <summary>Leave the received message without an answer: acknowledge a Confirmable one, ignore others.</summary>
    Finish,

    /// <summary>Forget the received message: send no acknowledgement, and treat a copy as a new message.</summary>
    Forget,

    /// <summary>Stop the transmission: send no further copies and free its place. Never leaves Messaging.</summary>
    Cancel,

    /// <summary>
    /// Reject the received message with a Reset, even a Non-confirmable one: so a server learns that a notification is unwanted (RFC 7641
    /// section 3.6).
    /// </summary>
    Reset,
}
