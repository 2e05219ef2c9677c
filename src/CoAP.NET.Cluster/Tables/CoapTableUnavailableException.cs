namespace CoAP.NET.Cluster;

/// <summary>
/// A <see cref="CoapTable"/> has no answer now. <see cref="Fault"/> says what is unavailable. A server answers 5.03 (Service Unavailable)
/// with a Max-Age of <see cref="RetryAfter"/>.
/// </summary>
public sealed class CoapTableUnavailableException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="fault">What is unavailable.</param>
    /// <param name="retryAfter">After which time another attempt makes sense.</param>
    /// <param name="message">What was waited for and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapTableUnavailableException(
        CoapTableFault fault, TimeSpan retryAfter, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Fault = fault;
        RetryAfter = retryAfter;
    }

    /// <summary>What is unavailable.</summary>
    public CoapTableFault Fault { get; }

    /// <summary>After which time another attempt makes sense.</summary>
    public TimeSpan RetryAfter { get; }

    /// <summary>
    /// Whether the change may still take effect, now or later: when the store did not confirm it in time, and when an answer was lost on
    /// its way. Ask again: rules are idempotent. When false, it took no effect.
    /// </summary>
    public bool IsOutcomeUnknown { get; init; }
}
