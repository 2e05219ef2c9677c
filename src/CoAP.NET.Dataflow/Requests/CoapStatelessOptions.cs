namespace CoAP.NET;

/// <summary>How a <see cref="CoapStatelessClient"/> works.</summary>
public sealed class CoapStatelessOptions
{
    private const int MaxNameLength = 64;

    /// <summary>
    /// How long after its request a response is taken. Default 10 minutes: EXCHANGE_LIFETIME of 247 s and the same again for the server's
    /// work; above zero, up to one day. Later ones are rejected, so that an old token is of no use to anybody (RFC 8974 section 3.1).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public TimeSpan Lifetime
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromDays(1));
            field = value;
        }
    }
    = TimeSpan.FromMinutes(10);

    /// <summary>
    /// How many requests may at least lie between the newest one that was answered and one whose response is still taken; those older by 64
    /// more count as replays. One bit each. Default 65,536; 64 to 16,777,216.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Out of this range.</exception>
    public int ReplayWindow
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 64);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 1 << 24);
            field = value;
        }
    }
    = 65_536;

    /// <summary>
    /// Tells the clients of an endpoint apart that shares a secret with other processes (<see cref="CoapEndpointOptions.SharedSecret"/>): a
    /// client takes responses to requests of those of its name only. Default empty; up to 64 characters.
    /// </summary>
    /// <exception cref="ArgumentException">Longer than that.</exception>
    public string Name
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value.Length <= MaxNameLength
                ? value
                : throw new ArgumentException($"The name of a stateless client has at most {MaxNameLength} characters.", nameof(value));
        }
    }
    = "";
}
