namespace CoAP.NET.Formats;

/// <summary>The three formats that messages of an endpoint have on the wire, and the sizes of messages in them. Thread-safe.</summary>
/// <param name="Datagrams">RFC 7252 section 3.</param>
/// <param name="Streams">RFC 8323 section 3.2.</param>
/// <param name="WebSockets">RFC 8323 section 4.2.</param>
internal sealed record MessageFormats(ICoapMessageSerializer Datagrams, ICoapMessageSerializer Streams, ICoapMessageSerializer WebSockets)
{
    /// <summary>Without limits of an endpoint.</summary>
    public static MessageFormats Default { get; } = new(CoapDatagramSerializer.Default, CoapStreamSerializer.Default,
        CoapWebSocketSerializer.Default);

    public ICoapMessageSerializer Of(CoapChannel channel) =>
        !channel.Transport.IsReliable ? Datagrams : channel.Transport is CoapStreamTransport { HasMessages: true } ? WebSockets : Streams;

    /// <summary>Returns the size of a message as a datagram, in bytes.</summary>
    public int DatagramSizeOf(CoapMessage message) => (int)Datagrams.GetSize(message);

    /// <summary>
    /// Whether a message exceeds the limit of its peer. Measures the exact size only when a quick estimate does not decide.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes, or an estimate when it is not too large.</param>
    public bool IsTooLarge(CoapMessage message, CoapChannel channel, out long size)
    {
        int limit = channel.MaxMessageSize;
        size = message.SizeBound;
        if (size <= limit)
        {
            return false;
        }

        size = Of(channel).GetSize(message);
        return size > limit;
    }

    /// <summary>Creates the exception for a message that is too large, with its size and the remedy.</summary>
    /// <param name="what">The kind of message.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="advice">The remedy, without a period.</param>
    public static CoapException TooLarge(string what, CoapChannel channel, long size, string advice) => new(
        CoapError.TooLarge,
        $"The {what} to {channel} takes {size} bytes, but a message to it has at most {channel.MaxMessageSize}. {advice}"
            + (channel.IsReliable
                ? "; the limit is what the peer announced (RFC 8323 section 5.3.1)."
                : ", or raise MaxMessageSize for this peer if the path allows it."));
}
