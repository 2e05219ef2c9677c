using System.Net;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>Options of a hosted server.</summary>
/// <remarks>
/// Configuration comes first, from <c>Coap:Server</c> or, for a server with a name, <c>Coap:Servers:NAME</c>; code runs afterwards and
/// takes precedence. The application checks all options when it starts. Mutable until then.
/// </remarks>
/// <example>
/// <code>
/// builder.Services.AddCoapServer(options =&gt;
/// {
///     options.Listen("coap://*:5683");
///     options.Limits.Observe.MaxObservers = 1_000;
/// });
/// </code>
/// </example>
[HasSettings]
public sealed partial class CoapServerOptions : IServerSettings
{
    /// <summary>The addresses to listen on, in the format of <see cref="CoapEndpoint.Listen"/>.</summary>
    /// <remarks>
    /// Those of configuration and those that code adds; duplicates count once. Default empty: the loopback addresses that
    /// <see cref="CoapServer.StartAsync"/> describes, unless there are <see cref="Transports"/> or <see cref="ListenByDefault"/> is false.
    /// </remarks>
    public IList<string> Endpoints { get; } = new SettingList<string>();

    /// <summary>
    /// Whether the server listens on loopback, <c>coap://localhost:5683</c>, if <see cref="Endpoints"/> and <see cref="Transports"/>
    /// are empty.
    /// </summary>
    /// <remarks>
    /// Default true, also for a server that a web application serves over WebSockets or Kestrel's sockets. Set it to false if only those
    /// should reach the server.
    /// </remarks>
    public partial bool ListenByDefault { get; set; } = true;

    /// <summary>The options of the endpoint: limits, transmission parameters, shards, trusted prefixes and all else.</summary>
    /// <remarks>
    /// Logger and clock come from the host unless set. Unlike the default of <see cref="CoapEndpointOptions"/>, the grace period is 24
    /// days, so that the host's shutdown time limits running requests.
    /// </remarks>
    public CoapEndpointOptions Endpoint { get; } = new() { Processes = { StopGracePeriod = TimeSpan.FromDays(24) } };

    /// <summary>The limits; the same as those of <see cref="Endpoint"/>.</summary>
    public CoapLimits Limits => Endpoint.Limits;

    /// <summary>The transmission parameters of peers; the same as those of <see cref="Endpoint"/>.</summary>
    public CoapTransmissionParameters Parameters
    {
        get => Endpoint.Parameters;
        set => Endpoint.Parameters = value;
    }

    /// <summary>Certificate files for <c>coaps+tcp</c>.</summary>
    /// <remarks>
    /// For certificates that are not in files, set <see cref="CoapEndpointOptions.Tls"/> of <see cref="Endpoint"/> instead; not both.
    /// </remarks>
    public CoapTlsFileOptions Tls { get; } = new();

    /// <summary>
    /// Whether the server joins groups, such as All CoAP Nodes, so that clients can find it (RFC 7252 section 8). Default false.
    /// </summary>
    public partial bool JoinGroups { get; set; }

    /// <summary>The groups to join if <see cref="JoinGroups"/> is set. Default: All CoAP Nodes on all interfaces.</summary>
    public CoapGroupOptions Groups { get; } = new();

    /// <summary>
    /// Factories of additional transports, which run when the server is created; see <see cref="CoapEndpoint.AddTransport"/>. Default none.
    /// </summary>
    public IList<Func<IServiceProvider, CoapTransport>> Transports { get; } = new SettingList<Func<IServiceProvider, CoapTransport>>();

    /// <summary>
    /// Whether the application stops when the endpoint fails, for example because of a failed block of yours in its pipeline; the stop then
    /// ends with the error.
    /// </summary>
    /// <remarks>
    /// Default true: a server that runs without receiving is useless. With false the server logs the failure, and the health check reports
    /// it.
    /// </remarks>
    public partial bool StopApplicationOnFailure { get; set; } = true;

    /// <summary>
    /// Whether the application refuses to start if other users of the machine can read or change key files that these options name.
    /// </summary>
    /// <remarks>
    /// These are private keys of certificates, pre-shared keys, and security contexts of OSCORE. On Unix; the group may read. Default
    /// false: it logs a warning.
    /// </remarks>
    public partial bool RequirePrivateKeyFiles { get; set; }

    /// <summary>Whether unknown keys of the configuration section only cause a warning.</summary>
    /// <remarks>Default false: the application does not start, because most of them are misspelled.</remarks>
    public partial bool AllowUnknownKeys { get; set; }

    /// <summary>The functions that change the options of the endpoint after everything else.</summary>
    internal IList<Action<CoapEndpointOptions>> EndpointSteps { get; } = [];

    /// <summary>The functions that configure the created server.</summary>
    internal IList<Action<CoapServer>> ServerSteps { get; } = [];

    internal PeerTransmissionParameters Peers { get; } = new();

    internal ConfigurationErrors Findings { get; } = new();

    /// <summary>Adds an address to listen on.</summary>
    /// <param name="uri">Scheme, host and port, such as <c>coap://*:5683</c>; see <see cref="CoapEndpoint.Listen"/>.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException"><paramref name="uri"/> is empty.</exception>
    public CoapServerOptions Listen(string uri)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        Endpoints.Add(uri);
        return this;
    }

    /// <summary>
    /// Sets the transmission parameters of the peers in a network, such as longer times for NB-IoT, or smaller blocks for 6LoWPAN.
    /// </summary>
    /// <param name="prefix">The network, such as <c>10.1.0.0/16</c> or <c>2001:db8::/32</c>.</param>
    /// <param name="change">Changes the general parameters, with a <c>with</c> expression.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">The prefix is not a network.</exception>
    /// <remarks>
    /// The longest matching prefix takes precedence, and <see cref="CoapEndpointOptions.ParametersOf"/> takes precedence over all. In
    /// configuration: <c>Peers</c>.
    /// </remarks>
    public CoapServerOptions ForPeers(string prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentNullException.ThrowIfNull(change);
        Peers.Add(prefix, change);
        return this;
    }
}
