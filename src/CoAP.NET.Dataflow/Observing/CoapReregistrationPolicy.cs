namespace CoAP.NET;

/// <summary>The rule for repeating the registration of an observation when it is lost or in doubt (RFC 7641 section 3.3.1).</summary>
/// <remarks>Immutable.</remarks>
public sealed class CoapReregistrationPolicy
{
    private CoapReregistrationPolicy()
    {
    }

    /// <summary>
    /// Registers again 5 to 15 s after Max-Age ended without a notification, and after every failure, with growing delays, until the
    /// observation is disposed.
    /// </summary>
    /// <remarks>The default.</remarks>
    public static CoapReregistrationPolicy Auto { get; } = new();

    /// <summary>Never registers again: a lost observation ends.</summary>
    public static CoapReregistrationPolicy Never { get; } = new() { IsEnabled = false };

    /// <summary>Whether the observation registers again.</summary>
    internal bool IsEnabled { get; private init; } = true;

    /// <summary>The minimum time between two registrations.</summary>
    /// <remarks>Default 0.</remarks>
    internal TimeSpan MinimumInterval { get; private init; }

    /// <summary>The maximum delay after a failure, before Max-Age of an error response applies.</summary>
    /// <remarks>Default 5 min.</remarks>
    internal TimeSpan MaximumBackOff { get; private init; } = TimeSpan.FromMinutes(5);

    /// <summary>
    /// Works like <see cref="Auto"/>, but with a minimum interval: for servers with a short Max-Age and devices that pay for each message.
    /// </summary>
    /// <param name="minimumInterval">The minimum time between two registrations; 0 to 30 days.</param>
    /// <param name="maximumBackOff">The maximum delay after a failure, 5 s to 24 h; null for 5 min.</param>
    /// <returns>The rule.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A time is out of its range.</exception>
    public static CoapReregistrationPolicy NotMoreOftenThan(TimeSpan minimumInterval, TimeSpan? maximumBackOff = null)
    {
        TimeSpan backOff = maximumBackOff ?? Auto.MaximumBackOff;
        ArgumentOutOfRangeException.ThrowIfLessThan(backOff, TimeSpan.FromSeconds(5), nameof(maximumBackOff));
        ArgumentOutOfRangeException.ThrowIfGreaterThan(backOff, TimeSpan.FromDays(1), nameof(maximumBackOff));
        ArgumentOutOfRangeException.ThrowIfLessThan(minimumInterval, TimeSpan.Zero);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minimumInterval, TimeSpan.FromDays(30));
        return new() { MinimumInterval = minimumInterval, MaximumBackOff = backOff };
    }

    /// <summary>Returns the rule that satisfies two observers of one resource.</summary>
    internal static CoapReregistrationPolicy Livelier(CoapReregistrationPolicy left, CoapReregistrationPolicy right) =>
        !left.IsEnabled ? right
        : !right.IsEnabled || left == right ? left
        : new()
        {
            MinimumInterval = left.MinimumInterval < right.MinimumInterval ? left.MinimumInterval : right.MinimumInterval,
            MaximumBackOff = left.MaximumBackOff < right.MaximumBackOff ? left.MaximumBackOff : right.MaximumBackOff,
        };
}
