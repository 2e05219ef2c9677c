namespace CoAP.NET;

/// <summary>The limits of requests that are served or sent at a time.</summary>
/// <remarks>The group <see cref="CoapLimits.Requests"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapRequestLimits
{
    internal CoapRequestLimits()
    {
    }

    /// <summary>The maximum number of requests that the whole endpoint serves at a time.</summary>
    /// <remarks>
    /// When full: 5.03 with Max-Age, before user code runs, counted as <c>Busy</c>; the last blocks of running uploads have an eighth more,
    /// and notifications continue. Beyond its share a source (<see cref="CoapQuotaSource"/>) gets 5.03, counted as
    /// <c>RequestsBeyondQuota</c>. All unverified addresses together may take three quarters; beyond that they get 4.01 with an Echo.
    /// </remarks>
    [NumberRange(1)]
    public partial int MaxServed { get; set; } = 10_000;

    /// <summary>The Max-Age of 5.03 responses that are sent because a limit is reached, in seconds.</summary>
    [NumberRange(0)]
    public partial int BusyMaxAge { get; set; } = 5;

    /// <summary>
    /// The maximum number of 4.29 responses per second that the limiters of routes may cause: half of them at once, half over the second.
    /// </summary>
    /// <remarks>Further limited requests get no response, as if they were lost (RFC 8516 section 3).</remarks>
    [NumberRange(1)]
    public partial int TooManyRequestsPerSecond { get; set; } = 1000;

    /// <summary>The maximum number of delayed responses to group requests (RFC 7252 section 8.2) in the whole endpoint.</summary>
    /// <remarks>
    /// When full: one of the source (<see cref="CoapQuotaSource"/>) with the most is not sent, counted as <c>GroupAnswersDropped</c>.
    /// </remarks>
    [NumberRange(1, 1_000_000)]
    public partial int MaxDelayedGroupResponses { get; set; } = 1000;

    /// <summary>
    /// The maximum number of running requests to groups, and of tokens of earlier ones that are kept to recognise late responses.
    /// </summary>
    /// <remarks>
    /// When full: further requests fail with a <see cref="CoapException"/> (<see cref="CoapError.Busy"/>); the oldest tokens are forgotten
    /// first.
    /// </remarks>
    [NumberRange(1, 1_000_000)]
    public partial int MaxGroupRequests { get; set; } = 1000;
}
