using CoAP.NET.Execution;
using CoAP.NET.Settings;

namespace CoAP.NET.Stateless;

/// <summary>The options of a <see cref="CoapStatelessClient"/>.</summary>
[HasSettings]
public sealed partial class CoapStatelessOptions
{
    private const int MaxNameLength = 64;

    /// <summary>How long after its request a response is accepted.</summary>
    /// <remarks>
    /// Default 10 minutes: EXCHANGE_LIFETIME of 247 s and the same again for the work of the server; above zero, up to one day. The client
    /// rejects later ones, so that attackers cannot use an old token (RFC 8974 section 3.1).
    /// </remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan Lifetime { get; set; } = TimeSpan.FromMinutes(10);

    /// <summary>The minimum number of requests between the newest answered one and one whose response is still accepted.</summary>
    /// <remarks>Requests that are older by 64 more count as replays. Each takes one bit.</remarks>
    [NumberRange(64, 1 << 24)]
    public partial int ReplayWindow { get; set; } = 65_536;

    /// <summary>The name of the client.</summary>
    /// <remarks>
    /// It distinguishes the clients of an endpoint that shares a secret with other processes
    /// (<see cref="CoapMultiProcessOptions.SharedSecret"/>): a client accepts only responses to requests of clients with its name. Default
    /// empty; up to 64 characters.
    /// </remarks>
    /// <exception cref="ArgumentException">The name has more than 64 characters.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public string Name
    {
        get;
        set
        {
            ThrowIfReadOnly();
            ArgumentNullException.ThrowIfNull(value);
            field = value.Length <= MaxNameLength
                ? value
                : throw new ArgumentException($"The name of a stateless client must have at most {MaxNameLength} "
                    + "characters.", nameof(value));
        }
    } = "";
}
