using System.Net;
using CoAP.NET.Dtls;
using CoAP.NET.Edhoc;
using CoAP.NET.Oscore;
using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>
/// How a client works. Configuration is read into it first, from <c>Coap:Client</c> or, for a client with a name, <c>Coap:Clients:NAME</c>;
/// code comes after it and has the last word. Everything is checked when the application starts. Mutable until then.
/// </summary>
public sealed class CoapClientOptions
{
    private readonly CoapRequestDefaults _defaults = new();

    /// <summary>
    /// What URIs of requests are relative to (RFC 3986 section 5.2), such as <c>coap://device.example/api/</c>: <c>state</c> is then
    /// <c>/api/state</c>, and <c>/state</c> stays what it is. Default null: URIs are absolute.
    /// </summary>
    public string? BaseAddress { get; set; }

    /// <summary>
    /// The forward proxy that requests and observations go to, such as <c>coap://gateway.example.com</c>; see
    /// <see cref="CoapClient.Proxy"/>. <see cref="ConfigureRequest"/> and <see cref="Handlers"/> see requests to their targets. Default
    /// null: servers are asked directly.
    /// </summary>
    public string? Proxy { get; set; }

    /// <summary>
    /// How long requests may take that say nothing of it themselves; see <see cref="CoapRequest.Timeout"/>. Default null: the times of the
    /// transmission parameters.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Not above zero and not infinite.</exception>
    public TimeSpan? Timeout
    {
        get => _defaults.Timeout;
        set => _defaults.Timeout = value;
    }

    /// <summary>The Content-Format that requests want that name none (RFC 7252 section 5.10.4). Default null: any.</summary>
    public CoapContentFormat? Accept
    {
        get => _defaults.Accept;
        set => _defaults.Accept = value;
    }

    /// <summary>Whether requests are Confirmable. Default true: those that do not say otherwise. False: none is.</summary>
    public bool Confirmable
    {
        get => _defaults.Confirmable;
        set => _defaults.Confirmable = value;
    }

    /// <summary>Changes each request before it is sent, such as to add an option. It gets a copy of the caller's. Default null.</summary>
    public Action<CoapRequest>? ConfigureRequest { get; set; }

    /// <summary>
    /// The name of a hosted server whose endpoint the client uses, so that its requests leave from the server's port and connections; empty
    /// for the server without a name. <see cref="Endpoint"/>, <see cref="Tls"/> and <see cref="Dtls"/> then mean nothing, and
    /// <see cref="Oscore"/> must not be set. Default null: an endpoint of its own.
    /// </summary>
    public string? Server { get; set; }

    /// <summary>How the endpoint works. Logger and clock are the host's where they are not set.</summary>
    public CoapEndpointOptions Endpoint { get; } = new();

    /// <summary>
    /// Certificates by files, for <c>coaps+tcp</c>. Set <see cref="CoapEndpointOptions.Tls"/> of <see cref="Endpoint"/> for certificates
    /// that are not in files; not both.
    /// </summary>
    public CoapTlsFileOptions Tls { get; } = new();

    /// <summary>
    /// A pre-shared key or certificate by configuration, for <c>coaps</c>. Call <see cref="CoapDtlsEndpointExtensions.UseDtls"/> on
    /// <see cref="Endpoint"/> for what files cannot say; not both.
    /// </summary>
    public CoapDtlsClientFileOptions Dtls { get; } = new();

    /// <summary>
    /// A security context of a file, for OSCORE with the server. Call <see cref="OscoreEndpointExtensions.UseOscore"/> on
    /// <see cref="Endpoint"/> for several servers; not both.
    /// </summary>
    public CoapOscoreClientFileOptions Oscore { get; } = new();

    /// <summary>
    /// Credentials of a file, by which the client agrees with the server on keys for OSCORE. See <see cref="EdhocHostingExtensions"/> for
    /// credentials of code.
    /// </summary>
    public CoapEdhocClientFileOptions Edhoc { get; } = new();

    /// <summary>
    /// What stands between the client and its endpoint; the first is the outermost. See <see cref="ICoapClientHandler"/>. Default none.
    /// </summary>
    public IList<Func<IServiceProvider, ICoapClientHandler>> Handlers { get; } = [];

    /// <summary>
    /// Transports of your own, made when the client is; see <see cref="CoapEndpoint.AddTransport"/>. Default none: sockets are opened with
    /// the first request. Not used on a server's endpoint.
    /// </summary>
    public IList<Func<IServiceProvider, CoapTransport>> Transports { get; } = [];

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

    /// <summary>What code says of EDHOC.</summary>
    internal IList<Action<EdhocClientOptions>> EdhocSteps { get; } = [];

    internal bool UsesEdhoc => Edhoc.File is not null || EdhocSteps.Count > 0;

    internal PeerRules Peers { get; } = new();

    internal ConfigurationFindings Findings { get; } = new();

    internal CoapRequestDefaults ToDefaults()
    {
        _defaults.BaseAddress = BaseAddress is { } address ? CoapUri.Parse(address) : null;
        return _defaults;
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
    public CoapClientOptions ForPeers(string prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentNullException.ThrowIfNull(change);
        Peers.Add(IPNetwork.Parse(prefix), change);
        return this;
    }
}
