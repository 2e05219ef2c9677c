namespace CoAP.NET.Exchanges;

/// <summary>Measures messages, and checks the limits of peers. Thread-safe.</summary>
internal sealed class MessageSizeChecker
{
    private readonly ICoapMessageSerializer _datagrams;
    private readonly ICoapMessageSerializer _streams;

    public MessageSizeChecker(ICoapMessageSerializer datagrams, ICoapMessageSerializer streams)
    {
        _datagrams = datagrams;
        _streams = streams;
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

    /// <summary>Returns the size of a message as a datagram, in bytes.</summary>
    public int OfDatagram(CoapMessage message) => (int)_datagrams.GetSize(message);

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

        size = (channel.IsReliable ? _streams : _datagrams).GetSize(message);
        return size > limit;
    }
}
