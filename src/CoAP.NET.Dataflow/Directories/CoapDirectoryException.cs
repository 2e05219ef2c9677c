namespace CoAP.NET;

/// <summary>
/// A resource directory (RFC 9176) was not found, or did not do what it was asked. Where nobody answered at all it is another
/// <see cref="CoapException"/>, such as a <see cref="CoapTimeoutException"/>.
/// </summary>
public sealed class CoapDirectoryException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="response">What the directory answered; null when it is not about an answer.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapDirectoryException(string message, CoapResponse? response = null, Exception? innerException = null)
        : base(message, innerException) => Response = response;

    /// <summary>What the directory answered; null when it is not about an answer.</summary>
    public CoapResponse? Response { get; }
}
