namespace CoAP.NET;

/// <summary>How notifications are sent (RFC 7641 section 4.5).</summary>
public enum CoapNotificationMode
{
    /// <summary>
    /// Confirmable: each state that is sent is acknowledged, and while one is on its way only the newest one waits. The last state reaches
    /// every observer that is there, and one that is gone is forgotten after the last copy.
    /// </summary>
    Confirmable,

    /// <summary>
    /// Non-confirmable, at most one in a round-trip time, or in 3 s while that is unknown (RFC 7641 section 4.5.1), and now and then a
    /// Confirmable one: each day, and for its round-trip time where the state changes faster than every 3 s. Cheaper; a lost one is made
    /// good by the next, or by the client when Max-Age ends.
    /// </summary>
    NonConfirmable,
}
