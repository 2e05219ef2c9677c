namespace CoAP.NET.Mesh;

/// <summary>What a <see cref="CoapInbound"/> says.</summary>
public enum CoapInboundKind : byte
{
    /// <summary>A message came.</summary>
    Message,

    /// <summary>Bytes came that are no message; see <see cref="CoapInbound.Error"/>.</summary>
    FormatError,

    /// <summary>A message of ours was acknowledged (RFC 7252 section 4.2).</summary>
    Acknowledged,

    /// <summary>A message of ours was rejected by a Reset (RFC 7252 section 4.2).</summary>
    Reset,

    /// <summary>A message of ours was not acknowledged after all retransmissions (RFC 7252 section 4.2).</summary>
    NotAcknowledged,

    /// <summary>The peer's port is unreachable, as its host said by quoting the message of ours.</summary>
    Unreachable,

    /// <summary>A message of ours could not be queued or sent: a bound is reached.</summary>
    NotSent,

    /// <summary>
    /// The operating system refused a message of ours for a reason that does not pass, such as no socket of the peer's IP version.
    /// </summary>
    SendFailed,

    /// <summary>
    /// A Non-confirmable message of ours was sent; told only to who asked for it (<see cref="CoapTransmission.TellsWhenSent"/>).
    /// </summary>
    Sent,

    /// <summary>The connection is ready: the peer's CSM came (RFC 8323 section 3.3).</summary>
    Connected,

    /// <summary>
    /// The connection has ended: nothing more comes from the peer, and what waits for it never will be answered (RFC 8323 section 3.4).
    /// </summary>
    Disconnected,
}
