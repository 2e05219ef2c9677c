namespace CoAP.NET;

/// <summary>A request was refused locally, before anything of it was sent, because it does not fit the messages, or its token not the tokens, that the peer takes.</summary>
public sealed class CoapTooLargeException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="size">What was to be sent, in bytes.</param>
    /// <param name="maxSize">The most that the peer takes, in bytes.</param>
    /// <param name="message">What happened and what to do.</param>
    public CoapTooLargeException(long? size, long maxSize, string message)
        : base(message)
    {
        Size = size;
        MaxSize = maxSize;
    }

    /// <summary>The size in bytes of what was to be sent: message, body or token; null when it is not known, as of a body that comes from a stream.</summary>
    public long? Size { get; }

    /// <summary>The most that the peer takes, in bytes.</summary>
    public long MaxSize { get; }
}
