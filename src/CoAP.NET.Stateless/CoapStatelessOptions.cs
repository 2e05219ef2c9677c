using CoAP.NET.Execution;

namespace CoAP.NET.Stateless;

/// <summary>The options of a <see cref="CoapStatelessClient"/>.</summary>
public sealed class CoapStatelessOptions
{
    private const int MaxNameLength = 64;

    /// <summary>How long after its request a response is accepted.</summary>
    /// <remarks>
    /// Default 10 minutes: EXCHANGE_LIFETIME of 247 s and the same again for the work of the server; above zero, up to one day. The client
    /// rejects later ones, so that attackers cannot use an old token (RFC 8974 section 3.1).
    /// </remarks>
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

    /// <summary>The minimum number of requests between the newest answered one and one whose response is still accepted.</summary>
    /// <remarks>Requests that are older by 64 more count as replays. Each takes one bit. Default 65,536; 64 to 16,777,216.</remarks>
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

    /// <summary>The name of the client.</summary>
    /// <remarks>
    /// It distinguishes the clients of an endpoint that shares a secret with other processes
    /// (<see cref="CoapMultiProcessOptions.SharedSecret"/>): a client accepts only responses to requests of clients with its name. Default
    /// empty; up to 64 characters.
    /// </remarks>
    /// <exception cref="ArgumentException">The name has more than 64 characters.</exception>
    public string Name
    {
        get;
        set
        {
            ArgumentNullException.ThrowIfNull(value);
            field = value.Length <= MaxNameLength
                ? value
                : throw new ArgumentException($"The name of a stateless client must have at most {MaxNameLength} "
                    + "characters.", nameof(value));
        }
    }
    = "";
}
