using System.Net;
using CoAP.NET.Dtls;
using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>
/// How a hosted server works. Configuration is read into it first, from <c>Coap:Server</c> or, for a server with a name,
/// <c>Coap:Servers:NAME</c>; code comes after it and has the last word. Everything is checked when the application starts. Mutable until
/// then.
/// </summary>
public sealed class CoapServerOptions
{
    /// <summary>
    /// The addresses to listen on, as <see cref="CoapEndpoint.Listen"/> takes them: those of configuration and those that code adds; one
    /// that is there twice counts once. Default empty: <see cref="CoapServer.DefaultAddress"/>, unless there are <see cref="Transports"/>
    /// or <see cref="ListenByDefault"/> is false.
    /// </summary>
    public IList<string> Endpoints { get; } = [];

    /// <summary>
    /// Whether the server listens on <see cref="CoapServer.DefaultAddress"/> where <see cref="Endpoints"/> and <see cref="Transports"/> are
    /// empty. Default true, also for a server that a web application serves over WebSockets or Kestrel's sockets; false for one that is to
    /// be reached by those only.
    /// </summary>
    public bool ListenByDefault { get; set; } = true;

    /// <summary>
    /// How the endpoint works: limits, transmission parameters, shards, trusted prefixes and all else. Logger and clock are the host's
    /// where they are not set. Different from the default of <see cref="CoapEndpointOptions"/>: the grace period is 24 days, so that the
    /// host's shutdown time says how long requests that run may take.
    /// </summary>
    public CoapEndpointOptions Endpoint { get; } = new() { StopGracePeriod = TimeSpan.FromDays(24) };

    /// <summary>The bounds; the same as those of <see cref="Endpoint"/>.</summary>
    public CoapLimits Limits => Endpoint.Limits;

    /// <summary>The transmission parameters of peers; the same as those of <see cref="Endpoint"/>.</summary>
    public CoapTransmissionParameters Parameters
    {
        get => Endpoint.Parameters;
        set => Endpoint.Parameters = value;
    }

    /// <summary>
    /// Certificates by files, for <c>coaps+tcp</c>. Set <see cref="CoapEndpointOptions.Tls"/> of <see cref="Endpoint"/> for certificates
    /// that are not in files; not both.
    /// </summary>
    public CoapTlsFileOptions Tls { get; } = new();

    /// <summary>
    /// Pre-shared keys and certificates by configuration, for <c>coaps</c>. Call <see cref="CoapDtlsEndpointExtensions.UseDtls"/> on
    /// <see cref="Endpoint"/> for what files cannot say; not both.
    /// </summary>
    public CoapDtlsServerFileOptions Dtls { get; } = new();

    /// <summary>
    /// Security contexts of files, for OSCORE. See <see cref="OscoreHostingExtensions.UseOscore"/> for those of a database; call
    /// <see cref="OscoreEndpointExtensions.UseOscore"/> on <see cref="Endpoint"/> for what neither can say; not both.
    /// </summary>
    public CoapOscoreServerFileOptions Oscore { get; } = new();

    /// <summary>
    /// Credentials of a file, by which clients agree with the server on keys for OSCORE. See <see cref="EdhocHostingExtensions"/> for
    /// credentials of code. Needs no <see cref="Oscore"/>.
    /// </summary>
    public CoapEdhocServerFileOptions Edhoc { get; } = new();

    /// <summary>
    /// Whether groups are joined, such as All CoAP Nodes, so that clients can find the server (RFC 7252 section 8). Default false.
    /// </summary>
    public bool JoinGroups { get; set; }

    /// <summary>Which groups, if <see cref="JoinGroups"/> is set. Default: All CoAP Nodes on all interfaces.</summary>
    public CoapGroupOptions Groups { get; } = new();

    /// <summary>Transports of your own, made when the server is; see <see cref="CoapEndpoint.AddTransport"/>. Default none.</summary>
    public IList<Func<IServiceProvider, CoapTransport>> Transports { get; } = [];

    /// <summary>
    /// Whether the application stops when the endpoint gives up, such as for a block of yours in its pipeline that failed; stopping then
    /// ends with the error. Default true: a server that is up and deaf helps nobody. With false it is logged, and the health check tells.
    /// </summary>
    public bool StopApplicationOnFailure { get; set; } = true;

    /// <summary>
    /// Whether the application does not start where others on the machine may read or change files of keys that these options name:
    /// security contexts of OSCORE, pre-shared keys, private keys of certificates. On Unix; the group may read. Default false: it is a
    /// warning.
    /// </summary>
    public bool RequirePrivateKeyFiles { get; set; }

    /// <summary>
    /// Whether keys of the configuration section that are not known are a warning only. Default false: the application does not start, as
    /// most of them are misspelled.
    /// </summary>
    public bool AllowUnknownKeys { get; set; }

    /// <summary>What is done with the options of the endpoint when all else is in them.</summary>
    internal IList<Action<CoapEndpointOptions>> EndpointSteps { get; } = [];

    /// <summary>What is done with the server when it was made.</summary>
    internal IList<Action<CoapServer>> ServerSteps { get; } = [];

    internal bool UsesOscore { get; set; }

    internal IOscoreContextResolver? OscoreResolver { get; set; }

    /// <summary>What code says of EDHOC.</summary>
    internal IList<Action<EdhocServerOptions>> EdhocSteps { get; } = [];

    internal bool UsesEdhoc => Edhoc.File is not null || EdhocSteps.Count > 0;

    internal PeerRules Peers { get; } = new();

    /// <summary>The resource directories to register with.</summary>
    internal IList<HostedDirectory> Directories { get; } = [];

    internal ConfigurationFindings Findings { get; } = new();

    /// <summary>Adds an address to listen on.</summary>
    /// <param name="uri">Scheme, host and port, such as <c>coap://*:5683</c>; see <see cref="CoapEndpoint.Listen"/>.</param>
    /// <returns>These options.</returns>
    public CoapServerOptions Listen(string uri)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        Endpoints.Add(uri);
        return this;
    }

    /// <summary>
    /// Says which transmission parameters peers of a network have, such as those behind NB-IoT, which need longer times, or 6LoWPAN,
    /// smaller blocks. Of several prefixes that an address is in the longest counts; <see cref="CoapEndpointOptions.ParametersOf"/> goes
    /// before all of them. Configuration says it by <c>Peers</c>.
    /// </summary>
    /// <param name="prefix">The network, such as <c>10.1.0.0/16</c> or <c>2001:db8::/32</c>.</param>
    /// <param name="change">Makes the parameters of what all peers have, by <c>with</c>.</param>
    /// <returns>These options.</returns>
    /// <exception cref="FormatException">The prefix is none.</exception>
    public CoapServerOptions ForPeers(string prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentNullException.ThrowIfNull(change);
        Peers.Add(IPNetwork.Parse(prefix), change);
        return this;
    }
}
