namespace CoAP.NET.ResourceDirectory;

/// <summary>A resource directory (RFC 9176) was not found, or did not fulfil a request.</summary>
/// <remarks>If no host answered at all, it is another <see cref="CoapException"/>, such as a <see cref="CoapTimeoutException"/>.</remarks>
public sealed class CoapDirectoryException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="response">The response of the directory; null if there is none.</param>
    /// <param name="innerException">The cause.</param>
    public CoapDirectoryException(string message, CoapResponse? response = null, Exception? innerException = null)
        : base(message, innerException)
    {
        Response = response;
        RetryAfter = response?.RetryAfter;
    }

    /// <summary>The response of the directory; null if there is none.</summary>
    public CoapResponse? Response { get; }
}
