namespace CoAP.NET.Tables;

/// <summary>A <see cref="CoapReplicatedTable"/> has no answer now. <see cref="Reason"/> is the reason.</summary>
/// <remarks>A server answers 5.03 (Service Unavailable) with a Max-Age of <see cref="CoapException.RetryAfter"/>.</remarks>
internal sealed class CoapTableUnavailableException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="reason">The reason.</param>
    /// <param name="retryAfter">The time after which a retry makes sense.</param>
    /// <param name="message">The reason for the wait, with the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public CoapTableUnavailableException(
        CoapTableUnavailableReason reason, TimeSpan retryAfter, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Reason = reason;
        RetryAfter = retryAfter;
    }

    public CoapTableUnavailableReason Reason { get; }
}
