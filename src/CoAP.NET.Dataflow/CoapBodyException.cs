namespace CoAP.NET;

/// <summary>
/// Thrown by a stream that was given to <see cref="CoapResults.Sequential"/> when it cannot go on: says what the peer is answered in place
/// of the next block. It is no error of the handler, so it is neither logged nor counted as one.
/// </summary>
public sealed class CoapBodyException : CoapException
{
    /// <summary>Makes one.</summary>
    /// <param name="result">What the peer is answered, with an error code.</param>
    /// <param name="message">What went wrong.</param>
    /// <param name="innerException">Why; null when nothing was thrown.</param>
    /// <exception cref="ArgumentException">The result is a success.</exception>
    public CoapBodyException(CoapResult result, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        ArgumentNullException.ThrowIfNull(result);
        Result = result.Code.IsError ? result : throw new ArgumentException("A success does not say that the body ends.", nameof(result));
    }

    /// <summary>What the peer is answered.</summary>
    public CoapResult Result { get; }
}
