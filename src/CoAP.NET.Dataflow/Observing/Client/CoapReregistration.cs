namespace CoAP.NET;

/// <summary>
/// Whether and how often the registration of an observation is made again when it is lost or in doubt (RFC 7641 section 3.3.1). Immutable.
/// </summary>
public sealed record CoapReregistration
{
    private CoapReregistration()
    {
    }

    /// <summary>
    /// 5 to 15 s after Max-Age ended without a notification, and after every failure, with growing waits, until the observation is
    /// disposed. The default.
    /// </summary>
    public static CoapReregistration Auto { get; } = new();

    /// <summary>Never: an observation that is lost ends.</summary>
    public static CoapReregistration Never { get; } = new() { IsEnabled = false };

    /// <summary>Whether registrations are made again.</summary>
    public bool IsEnabled { get; private init; } = true;

    /// <summary>The least time from one registration to the next. Default 0.</summary>
    public TimeSpan MinimumInterval { get; private init; }

    /// <summary>The longest wait after a failure, before Max-Age of an error response is looked at. Default 5 min; 5 s to 24 h.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 5 s to 24 h.</exception>
    public TimeSpan MaximumBackOff
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, TimeSpan.FromSeconds(5));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    }
    = TimeSpan.FromMinutes(5);

    /// <summary>
    /// As <see cref="Auto"/>, but not more often than given: for servers with a short Max-Age and devices that pay for each message.
    /// </summary>
    /// <param name="minimumInterval">The least time from one registration to the next; 0 to 30 days.</param>
    /// <returns>The rule.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Outside 0 to 30 days.</exception>
    public static CoapReregistration NotMoreOftenThan(TimeSpan minimumInterval)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(minimumInterval, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minimumInterval, TimeSpan.FromDays(30));
        return new() { MinimumInterval = minimumInterval };
    }

    /// <summary>The rule that satisfies both of two observers of one resource.</summary>
    internal static CoapReregistration Livelier(CoapReregistration left, CoapReregistration right) =>
        !left.IsEnabled ? right
        : !right.IsEnabled || left == right ? left
        : new()
        {
            MinimumInterval = left.MinimumInterval < right.MinimumInterval ? left.MinimumInterval : right.MinimumInterval,
            MaximumBackOff = left.MaximumBackOff < right.MaximumBackOff ? left.MaximumBackOff : right.MaximumBackOff,
        };
}
