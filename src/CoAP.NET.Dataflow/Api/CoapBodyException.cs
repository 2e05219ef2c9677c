namespace CoAP.NET;

/// <summary>Thrown by a stream that was given to <see cref="CoapResults.Sequential"/> when it cannot continue.</summary>
/// <remarks>
/// It carries the response that the peer gets in place of the next block. It is not an error of the handler, so the server neither logs nor
/// counts it as one.
/// </remarks>
public sealed class CoapBodyException : CoapException
{
    /// <summary>Creates an exception with the response for the peer.</summary>
    /// <param name="result">The response for the peer, with an error code.</param>
    /// <param name="message">A description of the error.</param>
    /// <param name="innerException">The cause; null if there is none.</param>
    /// <exception cref="ArgumentException">The result is a success.</exception>
    public CoapBodyException(CoapResult result, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        ArgumentNullException.ThrowIfNull(result);
        Result = result.Code.IsError ? result : throw new ArgumentException(
            "The result is a success, which cannot end a body. Use a result with an error code.", nameof(result));
    }

    /// <summary>The response for the peer.</summary>
    public CoapResult Result { get; }
}
