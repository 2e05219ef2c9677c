using CoAP.NET.Serialization;

namespace CoAP.NET.Mesh;

/// <summary>
/// What goes up between Serializer, Messaging and Exchanges: a message or a format error of a peer, or what became of a message of ours.
/// </summary>
public readonly struct CoapInbound : IPausableItem
{
    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    ReadingHold IPausableItem.Hold => new(Channel.Pausable);

    /// <summary>What this says.</summary>
    public CoapInboundKind Kind { get; init; }

    /// <summary>
    /// The message, with <see cref="CoapInboundKind.Message"/>. With a format error null, or, where an answer with the token is owed
    /// (<see cref="CoapFormatRule.TokenTooLong"/>: 4.00, <see cref="CoapFormatRule.MessageTooLarge"/>: 4.13), a message of type, code,
    /// Message ID and token alone.
    /// </summary>
    public CoapMessage? Message { get; init; }

    /// <summary>The rule that the bytes broke, with <see cref="CoapInboundKind.FormatError"/>.</summary>
    public CoapFormatError Error { get; init; }

    /// <summary>The type of the message; with a format error as far as the header could be read.</summary>
    public CoapMessageType Type { get; init; }

    /// <summary>The Message ID; with a format error as far as the header could be read.</summary>
    public ushort MessageId { get; init; }

    /// <summary>Whether it was sent to a group (RFC 7252 section 8).</summary>
    public bool IsMulticast { get; init; }

    /// <summary>A hash of the bytes, by which a repeated Message ID with other bytes is told from a duplicate.</summary>
    public uint Hash { get; init; }

    /// <summary>
    /// The size of the datagram in bytes, by which the size of an answer to an unverified address is measured (RFC 9175 section 2.4); 0 on
    /// reliable transports.
    /// </summary>
    public int Length { get; init; }

    /// <summary>Why the connection has ended, with <see cref="CoapInboundKind.Disconnected"/>.</summary>
    public CoapConnectionException? Reason { get; init; }

    /// <summary>
    /// The message of ours that this is about; null for messages of peers that match none. A notification that is outstanding may be
    /// replaced by a newer one.
    /// </summary>
    public CoapMessage? Sent => Transmission?.Message;

    /// <summary>How many times <see cref="Sent"/> was sent so far; 0 where there is none.</summary>
    public int Attempts => Transmission?.Attempts ?? 0;

    /// <summary>Where a reply belongs; set by Messaging for Confirmable and Non-confirmable messages.</summary>
    internal CoapReception? Reception { get; init; }

    /// <summary>
    /// The message of ours that this is about; set by Messaging when an acknowledgement or reset matched one, or it was given up.
    /// </summary>
    internal CoapTransmission? Transmission { get; init; }
}
