using CoAP.NET.Proxy;

namespace CoAP.NET.Explorer;

/// <summary>What an explorer may do, and for whom.</summary>
public sealed class CoapExplorerOptions
{
    private readonly List<CoapExplorerProfile> _profiles = [];

    /// <summary>
    /// Whom the page may ask. Nobody by default, but for the CoAP server of the application itself (<see cref="AllowOwnServer"/>): a page
    /// that may ask anybody is an open relay into the network of its server. A host is checked by its name, and by the addresses that the
    /// name resolves to just before something is sent.
    /// </summary>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>
    /// Whether every address may be asked, whatever <see cref="Targets"/> says. Default false. For a page that only its own user reaches,
    /// as that of <c>coap explore</c>.
    /// </summary>
    public bool AllowAnyTarget { get; set; }

    /// <summary>Whether the CoAP server of the application may be asked, at the addresses that it listens on. Default true.</summary>
    public bool AllowOwnServer { get; set; } = true;

    /// <summary>Whether the page may look for devices by multicast, in the network of its server. Default false.</summary>
    public bool AllowDiscovery { get; set; }

    /// <summary>
    /// Whether users may send keys and certificates of their own with a request. They pass through the server, which keeps them for as long
    /// as it keeps a connection open with them, and never writes them anywhere. Default false; <see cref="AddProfile"/> keeps secrets away
    /// from browsers.
    /// </summary>
    public bool AllowSecretsOfUsers { get; set; }

    /// <summary>
    /// Whether the explorer is served although nothing says who may use it. Default false: the application stops at its start when neither
    /// RequireAuthorization nor a fallback policy does.
    /// </summary>
    public bool AllowAnonymous { get; set; }

    /// <summary>What the page opens first, as <c>coap://192.0.2.1</c>. Default null: the server of the application.</summary>
    public string? FirstTarget { get; set; }

    /// <summary>How many bytes the body of a request or response may have. Default 16 MiB; 1 KiB to 256 MiB.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less or more.</exception>
    public int MaxBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1024);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 256 * 1024 * 1024);
            field = value;
        }
    }
    = 16 * 1024 * 1024;

    /// <summary>
    /// How many exchanges and observations may run at a time, of all users; more are answered 503. Default 64; 1 to 10,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less or more.</exception>
    public int MaxExchanges
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 10_000);
            field = value;
        }
    }
    = 64;

    /// <summary>
    /// How many of them one user may have: one identity where users are authenticated, otherwise one address. Default 16; 1 to 10,000.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less or more.</exception>
    public int MaxExchangesPerUser
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 10_000);
            field = value;
        }
    }
    = 16;

    /// <summary>
    /// Sets options of the clients that ask: transmission parameters, limits, how names are resolved. Default null. Called for each client.
    /// </summary>
    public Action<CoapEndpointOptions>? ConfigureClient { get; set; }

    /// <summary>The names under which HTTP clients may reach the page, without port; null for any. See <see cref="Token"/>.</summary>
    internal IReadOnlyCollection<string>? Hosts { get; set; }

    /// <summary>What calls of the page must carry; null where the application authorizes its users.</summary>
    internal string? Token { get; set; }

    /// <summary>The profiles.</summary>
    internal IReadOnlyList<CoapExplorerProfile> Profiles => _profiles;

    /// <summary>
    /// Adds credentials that users of the page choose by name and never see: a pre-shared key, a certificate, a security context.
    /// </summary>
    /// <param name="name">What the page calls them, 1 to 100 characters.</param>
    /// <param name="configure">Sets them, such as <c>endpoint => endpoint.UseDtls(...)</c> or <c>UseOscore(...)</c>.</param>
    /// <param name="host">The only host that they are for, as it stands in URIs; null for all that may be asked.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The name is empty, too long, or there already.</exception>
    public CoapExplorerOptions AddProfile(string name, Action<CoapEndpointOptions> configure, string? host = null)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(name);
        ArgumentNullException.ThrowIfNull(configure);
        if (name.Length > 100 || _profiles.Any(profile => profile.Name == name))
        {
            throw new ArgumentException($"'{name}' has more than 100 characters, or is the name of another profile.", nameof(name));
        }

        _profiles.Add(new CoapExplorerProfile(name, configure, host));
        return this;
    }
}

/// <summary>Credentials that users choose by name.</summary>
internal sealed record CoapExplorerProfile(string Name, Action<CoapEndpointOptions> Configure, string? Host);
