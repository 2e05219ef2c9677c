namespace CoAP.NET;

/// <summary>
/// The inbound item between Serializer, Messaging and Exchanges: a message or format error of a peer, or the outcome of a sent message.
/// </summary>
public readonly struct CoapInbound : IReadPausingItem
{
    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    ReadPause IReadPausingItem.ReadPause => new(Channel.Pausable);

    /// <summary>The kind of the item.</summary>
    public CoapInboundKind Kind { get; init; }

    /// <summary>The message, for <see cref="CoapInboundKind.Message"/>.</summary>
    /// <remarks>
    /// For a format error it is usually null. When the endpoint must answer with the token
    /// (<see cref="CoapMessageFormatViolation.TokenTooLong"/>: 4.00, <see cref="CoapMessageFormatViolation.MessageTooLarge"/>: 4.13), it is
    /// a message with only type, code, Message ID and token.
    /// </remarks>
    public CoapMessage? Message { get; init; }

    /// <summary>The rule that the bytes violated, for <see cref="CoapInboundKind.FormatError"/>.</summary>
    public CoapFormatError Error { get; init; }

    /// <summary>The type of the message; for a format error, as far as the header was readable.</summary>
    public CoapMessageType Type { get; init; }

    /// <summary>The Message ID; for a format error, as far as the header was readable.</summary>
    public ushort MessageId { get; init; }

    /// <summary>Whether the message was sent to a group (RFC 7252 section 8).</summary>
    public bool IsMulticast { get; init; }

    /// <summary>A hash of the bytes. It distinguishes a duplicate from other bytes with a repeated Message ID.</summary>
    internal uint Hash { get; init; }

    /// <summary>The size of the datagram in bytes; 0 on reliable transports.</summary>
    /// <remarks>It limits the size of an answer to an unverified address (RFC 9175 section 2.4).</remarks>
    public int Length { get; init; }

    /// <summary>The reason why the connection ended, for <see cref="CoapInboundKind.Disconnected"/>.</summary>
    public CoapConnectionException? Reason { get; init; }

    /// <summary>The sent message that this item reports on; null for messages of peers that match none.</summary>
    /// <remarks>A newer notification may replace an outstanding one.</remarks>
    public CoapMessage? Sent => Transmission?.Message;

    /// <summary>How often <see cref="Sent"/> was sent so far; 0 without a sent message.</summary>
    internal int Attempts => Transmission?.Attempts ?? 0;

    /// <summary>When the datagram was received; 0 for what no datagram brought.</summary>
    internal long ReceivedAt { get; init; }

    /// <summary>Whether the message arrived after the endpoint began to stop.</summary>
    internal bool IsLate { get; init; }

    /// <summary>The received message that a reply answers. Messaging sets it for Confirmable and Non-confirmable messages.</summary>
    internal ReceivedMessage? Received { get; init; }

    /// <summary>
    /// The sent message that this item reports on. Messaging sets it when an acknowledgement or reset matched a transmission, or when the
    /// transmission was given up.
    /// </summary>
    internal CoapTransmission? Transmission { get; init; }
}
