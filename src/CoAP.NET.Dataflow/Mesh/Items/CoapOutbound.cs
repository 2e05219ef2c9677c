namespace CoAP.NET.Mesh;

/// <summary>What goes down between Exchanges, Messaging and Serializer.</summary>
public readonly struct CoapOutbound : IPausableItem
{
    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    ReadingHold IPausableItem.Hold => new(Channel.Pausable);

    /// <summary>What is asked for.</summary>
    public CoapOutboundKind Kind { get; init; }

    /// <summary>The message; type and Message ID are filled in by Messaging.</summary>
    public CoapMessage? Message { get; init; }

    /// <summary>The reception that this answers.</summary>
    internal CoapReception? Reception { get; init; }

    /// <summary>What keeps the message until it is settled.</summary>
    internal CoapTransmission? Transmission { get; init; }

    /// <summary>
    /// The finished bytes of a message that is sent again; the Serializer passes them on as they are (RFC 7252 section 4.2: copies are
    /// identical).
    /// </summary>
    public ReadOnlyMemory<byte> Encoded { get; init; }

    /// <summary>
    /// Whether a reply that comes too late to ride on the acknowledgement is sent Non-confirmable: a challenge must not be repeated (RFC
    /// 9175 section 2.4).
    /// </summary>
    internal bool NeverConfirmable { get; init; }

    /// <summary>Whether the connection is closed after this message (RFC 8323 section 5.6).</summary>
    public bool IsLast { get; init; }

    /// <summary>
    /// Whether Messaging keeps the bytes once the Serializer has made them: for retransmissions and for answers to duplicates.
    /// </summary>
    internal bool KeepsBytes { get; init; }
}
