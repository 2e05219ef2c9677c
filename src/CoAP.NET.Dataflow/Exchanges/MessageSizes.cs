using CoAP.NET.Serialization;

namespace CoAP.NET.Exchanges;

/// <summary>What messages of ours take, and whether a peer takes that much. Thread-safe.</summary>
internal sealed class MessageSizes
{
    private readonly ICoapMessageSerializer _datagrams;
    private readonly ICoapMessageSerializer _streams;

    public MessageSizes(ICoapMessageSerializer datagrams, ICoapMessageSerializer streams)
    {
        _datagrams = datagrams;
        _streams = streams;
    }

    /// <summary>The exception for a message that is too large: what it is, its size, and what to do.</summary>
    /// <param name="what">What was to be sent.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="advice">What to do, without a period.</param>
    public static CoapTooLargeException TooLarge(string what, CoapChannel channel, long size, string advice) => new(
        size,
        channel.MaxMessageSize,
        $"The {what} to {channel} takes {size} bytes, but a message to it has at most {channel.MaxMessageSize}. {advice}"
            + (channel.IsReliable
                ? "; the size is what the peer said of itself (RFC 8323 section 5.3.1)."
                : ", or raise MaxMessageSize for this peer if the path allows it."));

    /// <summary>The size in bytes of a message as a datagram.</summary>
    public int OfDatagram(CoapMessage message) => (int)_datagrams.GetSize(message);

    /// <summary>
    /// Whether a message is larger than its peer takes. The exact size is measured only when a quick bound leaves it open.
    /// </summary>
    /// <param name="message">The message.</param>
    /// <param name="channel">The peer.</param>
    /// <param name="size">Its size in bytes, or a bound when it is not too large.</param>
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
