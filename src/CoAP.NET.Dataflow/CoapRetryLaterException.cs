namespace CoAP.NET;

/// <summary>A request was not sent, because the server asked for patience and the time is not over (RFC 8516 section 4). <see cref="RetryAfter"/> says how long it still is.</summary>
public sealed class CoapRetryLaterException : CoapException
{
    internal CoapRetryLaterException(string target, TimeSpan retryAfter)
        : base($"{target} answered 4.29 Too Many Requests; a request to the same resource may be sent in {Math.Ceiling(retryAfter.TotalSeconds)} s. Wait for RetryAfter, or set Patience to Wait.") =>
        RetryAfter = retryAfter;

    /// <summary>How long to wait before the request is sent again.</summary>
    public TimeSpan RetryAfter { get; }
}
