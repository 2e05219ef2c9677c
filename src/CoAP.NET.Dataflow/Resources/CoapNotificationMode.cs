namespace CoAP.NET;

/// <summary>The type of notification messages (RFC 7641 section 4.5).</summary>
public enum CoapNotificationMode
{
    /// <summary>Confirmable: the client acknowledges each notification, and during a transmission only the newest state waits.</summary>
    /// <remarks>
    /// The last state reaches every reachable observer, and the server forgets an unreachable one after the last retransmission.
    /// </remarks>
    Confirmable,

    /// <summary>Non-confirmable, paced at one per round-trip time, or one per 3 s while it is unknown (RFC 7641 section 4.5.1).</summary>
    /// <remarks>
    /// Some are Confirmable: one per day, and one to measure the round-trip time if the state changes faster than every 3 s. Cheaper than
    /// Confirmable; the next notification replaces a lost one, or the client registers again when Max-Age ends.
    /// </remarks>
    NonConfirmable,
}
