using CoAP.NET.Settings;

namespace CoAP.NET.Explorer;

/// <summary>Options of the live page of a server: its content and its limits.</summary>
[HasSettings]
public sealed partial class CoapDashboardOptions
{
    /// <summary>
    /// The endpoint to show, such as <see cref="CoapServer.Endpoint"/> of a server outside of the container. Default null: the server of
    /// the container, see <see cref="ServerName"/>.
    /// </summary>
    public partial CoapEndpoint? Endpoint { get; set; }

    /// <summary>The name of the server in <c>AddCoapServer</c>. Default empty: the server without a name.</summary>
    /// <remarks>Unused with <see cref="Endpoint"/>.</remarks>
    /// <exception cref="ArgumentNullException">The value is null.</exception>
    public partial string ServerName { get; set; } = "";

    /// <summary>Whether the application may start without authorization for the page. Default false.</summary>
    /// <remarks>
    /// The page shows addresses and identities of peers, and their messages. By default the application therefore needs
    /// <c>RequireAuthorization</c> or a fallback policy.
    /// </remarks>
    public partial bool AllowAnonymous { get; set; }

    /// <summary>The maximum number of concurrent viewers</summary>
    /// <remarks>
    /// Further ones get 503. A source also never gets more than its share of the free places: an authenticated user, otherwise an IPv4
    /// address or the first 56 bits of an IPv6 address.
    /// </remarks>
    [NumberRange(1, 1000)]
    public partial int MaxViewers { get; set; } = 16;

    /// <summary>The maximum number of peers in the table; the most recently active ones are listed.</summary>
    [NumberRange(1, 10_000)]
    public partial int MaxPeers { get; set; } = 100;

    /// <summary>The maximum number of routes with separate latency figures; the others are counted together.</summary>
    /// <remarks>Each route takes up to 28 KB of memory while the page has viewers.</remarks>
    [NumberRange(1, 10_000)]
    public partial int MaxRoutes { get; set; } = 200;

    /// <summary>The maximum number of concurrent traces of all pages; 0 disables traces.</summary>
    /// <remarks>A source has the same share of them as of <see cref="MaxViewers"/>.</remarks>
    [NumberRange(0, 100)]
    public partial int MaxTraces { get; set; } = 4;

    /// <summary>The maximum number of messages of a trace; it then ends.</summary>
    [NumberRange(1, 10_000)]
    public partial int MaxTraceMessages { get; set; } = 500;

    /// <summary>The maximum duration of a trace; it then ends.</summary>
    [TimeRange(1, Seconds.Hour)]
    public partial TimeSpan TraceDuration { get; set; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// The host names, without port, under which browsers may open the page, beside addresses and <c>localhost</c>. Default empty.
    /// </summary>
    /// <remarks>
    /// While it is empty, any name is allowed to browsers on other machines if the page requires authorization. Calls from this machine,
    /// and to a page for everybody, then need a name that the setting <c>AllowedHosts</c> of the application has, so that no other site can
    /// reach the page by a name of its own (DNS rebinding). They get 403 otherwise.
    /// </remarks>
    public ISet<string> AllowedHosts { get; } = new SettingSet<string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>
    /// Whether traces show payloads. Default false: zeros replace their bytes. Options, such as paths and queries, are always visible.
    /// </summary>
    public partial bool IncludePayloads { get; set; }
}
