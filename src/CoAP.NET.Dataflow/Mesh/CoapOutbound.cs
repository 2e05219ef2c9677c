namespace CoAP.NET;

/// <summary>The outbound item between Exchanges, Messaging and Serializer.</summary>
public readonly struct CoapOutbound : IReadPausingItem
{
    /// <summary>The peer.</summary>
    public required CoapChannel Channel { get; init; }

    ReadPause IReadPausingItem.ReadPause => new(Channel.Pausable);

    /// <summary>The kind of the item.</summary>
    public CoapOutboundAction Kind { get; init; }

    /// <summary>The message. Messaging fills in type and Message ID.</summary>
    public CoapMessage? Message { get; init; }

    /// <summary>The received message that this answers.</summary>
    internal ReceivedMessage? Received { get; init; }

    /// <summary>The transmission that keeps the message until it is settled.</summary>
    internal CoapTransmission? Transmission { get; init; }

    /// <summary>The encoded bytes of a retransmission.</summary>
    /// <remarks>The Serializer passes them on unchanged (RFC 7252 section 4.2: copies are identical).</remarks>
    public ReadOnlyMemory<byte> Encoded { get; init; }

    /// <summary>
    /// Whether a reply that is too late for piggybacking is sent Non-confirmable: a challenge must not be repeated (RFC 9175 section 2.4).
    /// </summary>
    internal bool NeverConfirmable { get; init; }

    /// <summary>Whether the connection closes after this message (RFC 8323 section 5.6).</summary>
    public bool IsLast { get; init; }

    /// <summary>Whether Messaging keeps the encoded bytes, for retransmissions and for answers to duplicates.</summary>
    internal bool KeepsBytes { get; init; }
}
