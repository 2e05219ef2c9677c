namespace CoAP.NET;

/// <summary>A connection of a reliable transport could not be opened, or ended before the response came (RFC 8323). <see cref="Error"/> says why.</summary>
public sealed class CoapConnectionException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="error">Why.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapConnectionException(CoapConnectionError error, string message, Exception? innerException = null)
        : base(message, innerException) => Error = error;

    /// <summary>Why the connection could not be opened, or has ended.</summary>
    public CoapConnectionError Error { get; }

    /// <summary>Whether a request was sent that asks for a change, so that it may have taken effect: ask for the state before doing it again.</summary>
    public bool IsOutcomeUnknown { get; init; }

    /// <summary>What the peer said in its Abort (RFC 8323 section 5.6); null when it said nothing.</summary>
    public string? Diagnostic { get; init; }

    /// <summary>How long the peer asked not to be connected to again (Hold-Off, RFC 8323 section 5.5), counted from when this was thrown; null when it did not.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Whether the message was never given to the connection, so that it may be sent on another one whatever it asks for.</summary>
    internal bool IsUnsent { get; init; }
}
