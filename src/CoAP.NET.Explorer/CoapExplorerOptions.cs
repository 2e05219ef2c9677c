using CoAP.NET.Proxy;
using CoAP.NET.Settings;

namespace CoAP.NET.Explorer;

/// <summary>Options of an explorer: its targets, its users and its limits.</summary>
[HasSettings]
public sealed partial class CoapExplorerOptions
{
    private readonly List<CoapExplorerProfile> _profiles = [];

    /// <summary>
    /// The targets that the page may use. Default: none, except the CoAP server of the application itself (<see cref="AllowOwnServer"/>).
    /// </summary>
    /// <remarks>
    /// A page without this restriction is an open relay into the network of its server. The explorer checks a host by its name, and by the
    /// addresses that the name resolves to just before it sends.
    /// </remarks>
    public CoapProxyTargets Targets { get; } = new();

    /// <summary>Whether the page may send to every address, regardless of <see cref="Targets"/>. Default false.</summary>
    /// <remarks>Meant for a page that only its own user reaches, such as that of <c>coap explore</c>.</remarks>
    public partial bool AllowAnyTarget { get; set; }

    /// <summary>
    /// Whether the page may send to the CoAP server of the application, at the addresses that it listens on. Default true.
    /// </summary>
    public partial bool AllowOwnServer { get; set; } = true;

    /// <summary>Whether the page may discover devices by multicast in the network of its server. Default false.</summary>
    public partial bool AllowDiscovery { get; set; }

    /// <summary>Whether users may send their own keys and certificates with a request. Default false.</summary>
    /// <remarks>
    /// The server keeps them as long as it keeps a connection open with them, and never stores them. <see cref="AddProfile"/> keeps secrets
    /// away from browsers.
    /// </remarks>
    public partial bool AllowSecretsOfUsers { get; set; }

    /// <summary>
    /// Whether to serve the explorer without authorization. Default false: the application stops at its start if there is neither
    /// RequireAuthorization nor a fallback policy.
    /// </summary>
    public partial bool AllowAnonymous { get; set; }

    /// <summary>The URI that the page opens first, such as <c>coap://192.0.2.1</c>. Default null: the server of the application.</summary>
    public partial CoapUri? FirstTarget { get; set; }

    /// <summary>The largest body of a request or response, in bytes.</summary>
    [NumberRange(1024, 256 * 1024 * 1024, IsBytes = true)]
    public partial int MaxBodySize { get; set; } = 16 * 1024 * 1024;

    /// <summary>The maximum number of concurrent exchanges and observations of all users</summary>
    /// <remarks>Further ones get 503.</remarks>
    [NumberRange(1, 10_000)]
    public partial int MaxExchanges { get; set; } = 64;

    /// <summary>The maximum number of concurrent exchanges and observations of one user</summary>
    /// <remarks>
    /// A user is an identity if users are authenticated, otherwise an IPv4 address or the first 56 bits of an IPv6 address. A user also
    /// never gets more than its share of the free places.
    /// </remarks>
    [NumberRange(1, 10_000)]
    public partial int MaxExchangesPerUser { get; set; } = 16;

    /// <summary>
    /// Configures the clients that send the requests: transmission parameters, limits, name resolution. Default null. Called for each
    /// client.
    /// </summary>
    public partial Action<CoapEndpointOptions>? ConfigureClient { get; set; }

    /// <summary>
    /// The host names, without port, under which browsers may open the page, beside addresses and <c>localhost</c>. Default empty.
    /// </summary>
    /// <remarks>
    /// While it is empty, any name is allowed to browsers on other machines if the page requires authorization. Calls from this machine,
    /// and to a page for everybody, then need a name that the setting <c>AllowedHosts</c> of the application has, so that no other site can
    /// reach the page by a name of its own (DNS rebinding). They get 403 otherwise.
    /// </remarks>
    public ISet<string> AllowedHosts { get; } = new SettingSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The token that calls of the page must carry; null if the application authorizes its users.</summary>
    internal string? Token { get; set; }

    internal IReadOnlyList<CoapExplorerProfile> Profiles => _profiles;

    /// <summary>
    /// Adds credentials that users of the page select by name and never see: a pre-shared key, a certificate, a security context.
    /// </summary>
    /// <param name="name">The name on the page, 1 to 100 characters.</param>
    /// <param name="configure">Configures the credentials, such as <c>endpoint => endpoint.UsePsk(...)</c> or
    /// <c>UseOscore(...)</c>.</param>
    /// <param name="host">The only host that they apply to, as in URIs; null for all allowed hosts.</param>
    /// <returns>These options.</returns>
    /// <exception cref="ArgumentException">The name is empty, too long, or already in use.</exception>
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

/// <summary>Credentials that users select by name.</summary>
internal sealed record CoapExplorerProfile(string Name, Action<CoapEndpointOptions> Configure, string? Host);
