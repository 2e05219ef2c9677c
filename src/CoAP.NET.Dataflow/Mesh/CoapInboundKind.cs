namespace CoAP.NET;

/// <summary>The kinds of <see cref="CoapInbound"/>.</summary>
public enum CoapInboundKind : byte
{
    /// <summary>A message arrived.</summary>
    Message,

    /// <summary>Bytes arrived that are not a valid message; see <see cref="CoapInbound.Error"/>.</summary>
    FormatError,

    /// <summary>The peer acknowledged a sent message (RFC 7252 section 4.2).</summary>
    Acknowledged,

    /// <summary>The peer rejected a sent message with a Reset (RFC 7252 section 4.2).</summary>
    Reset,

    /// <summary>The peer did not acknowledge a sent message after all retransmissions (RFC 7252 section 4.2).</summary>
    NotAcknowledged,

    /// <summary>The peer's port is unreachable: its host reported so and quoted the sent message.</summary>
    Unreachable,

    /// <summary>A sent message could not be queued or sent because a limit is reached.</summary>
    NotSent,

    /// <summary>The operating system refused a sent message for a permanent reason, such as no socket of the peer's IP version.</summary>
    SendFailed,

    /// <summary>A Non-confirmable request was sent; reported only if it wants no response (RFC 7967).</summary>
    Sent,

    /// <summary>The connection is ready: the peer's CSM arrived (RFC 8323 section 3.3).</summary>
    Connected,

    /// <summary>The connection has ended. The peer sends nothing more, and pending requests get no answer (RFC 8323 section 3.4).</summary>
    Disconnected,
}
