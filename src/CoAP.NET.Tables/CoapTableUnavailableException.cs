namespace CoAP.NET.Tables;

/// <summary>A <see cref="CoapTable"/> has no answer now. <see cref="Fault"/> is the reason.</summary>
/// <remarks>A server answers 5.03 (Service Unavailable) with a Max-Age of <see cref="RetryAfter"/>.</remarks>
public sealed class CoapTableUnavailableException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="retryAfter">The time after which a retry makes sense.</param>
    /// <param name="message">The reason for the wait, with the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public CoapTableUnavailableException(
        CoapTableFault fault, TimeSpan retryAfter, string message, Exception? innerException = null)
        : base(message, innerException)
    {
        Fault = fault;
        RetryAfter = retryAfter;
    }

    /// <summary>The reason.</summary>
    public CoapTableFault Fault { get; }

    /// <summary>The time after which a retry makes sense.</summary>
    public TimeSpan RetryAfter { get; }

    /// <summary>
    /// Whether the change may still take effect, now or later: the store did not confirm it in time, or an answer was lost.
    /// </summary>
    /// <remarks>If true, ask again: rules are idempotent. If false, the change had no effect.</remarks>
    public bool IsOutcomeUnknown { get; init; }
}
