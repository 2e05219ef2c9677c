using System.Net;
using CoAP.NET.Endpoints;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Hosting.Parts;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>Options of a hosted client.</summary>
/// <remarks>
/// Configuration comes first, from <c>Coap:Client</c> or, for a client with a name, <c>Coap:Clients:NAME</c>; code runs afterwards and
/// takes precedence. The application checks all options when it starts. Mutable until then.
/// </remarks>
/// <example>
/// <code>
/// builder.Services.AddCoapClient(options =&gt;
/// {
///     options.BaseAddress = new CoapUri("coap://boiler.example/");
///     options.Timeout = TimeSpan.FromSeconds(10);
/// });
/// </code>
/// </example>
[HasSettings]
public sealed partial class CoapClientOptions : IClientSettings
{
    private readonly CoapRequestDefaults _defaults = new();

    /// <summary>The base of relative request URIs (RFC 3986 section 5.2).</summary>
    /// <remarks>
    /// With <c>coap://device.example/api/</c>, <c>state</c> is <c>/api/state</c>, and <c>/state</c> stays <c>/state</c>. Default null: URIs
    /// are absolute.
    /// </remarks>
    public partial CoapUri? BaseAddress { get; set; }

    /// <summary>
    /// The forward proxy of requests and observations, such as <c>coap://gateway.example.com</c>; see <see cref="CoapClient.Proxy"/>.
    /// </summary>
    /// <remarks>
    /// <see cref="ConfigureRequest"/> and <see cref="Handlers"/> see requests with their original targets. Default null: no proxy.
    /// </remarks>
    public partial CoapUri? Proxy { get; set; }

    /// <summary>
    /// The timeout of requests without their own; see <see cref="CoapRequest.Timeout"/>. Default null: the times of the transmission
    /// parameters.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is neither above zero nor infinite.</exception>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public TimeSpan? Timeout
    {
        get => _defaults.Timeout;
        set
        {
            ThrowIfReadOnly();
            _defaults.Timeout = value;
        }
    }

    /// <summary>The Accept option of requests without one (RFC 7252 section 5.10.4). Default null: any Content-Format.</summary>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public CoapContentFormat? Accept
    {
        get => _defaults.Accept;
        set
        {
            ThrowIfReadOnly();
            _defaults.Accept = value;
        }
    }

    /// <summary>Whether requests are Confirmable. Default true, unless a request sets otherwise. False: no request is.</summary>
    /// <exception cref="InvalidOperationException">The settings are in use.</exception>
    public bool Confirmable
    {
        get => _defaults.Confirmable;
        set
        {
            ThrowIfReadOnly();
            _defaults.Confirmable = value;
        }
    }

    /// <summary>
    /// Modifies each request before it is sent, for example to add an option. It gets a copy of the caller's request. Default null.
    /// </summary>
    public partial Action<CoapRequest>? ConfigureRequest { get; set; }

    /// <summary>
    /// The name of a hosted server whose endpoint the client uses, so that its requests use the server's port and connections; empty for
    /// the server without a name.
    /// </summary>
    /// <remarks>
    /// <see cref="Endpoint"/>, <see cref="Tls"/> and <c>UseDtls</c> then have no meaning, and OSCORE and EDHOC must not be set up for the
    /// client. Default null: an endpoint of its own.
    /// </remarks>
    public partial string? Server { get; set; }

    /// <summary>The options of the endpoint. Logger and clock come from the host unless set.</summary>
    public CoapEndpointOptions Endpoint { get; } = new();

    /// <summary>Certificate files for <c>coaps+tcp</c>.</summary>
    /// <remarks>
    /// For certificates that are not in files, set <see cref="CoapEndpointOptions.Tls"/> of <see cref="Endpoint"/> instead; not both.
    /// </remarks>
    public CoapTlsFileOptions Tls { get; } = new();

    /// <summary>
    /// The handlers between the client and its endpoint; the first is the outermost. See <see cref="ICoapClientHandler"/>. Default none.
    /// </summary>
    public IList<Func<IServiceProvider, ICoapClientHandler>> Handlers { get; } =
        new SettingList<Func<IServiceProvider, ICoapClientHandler>>();

    /// <summary>
    /// Factories of additional transports, which run when the client is created; see <see cref="CoapEndpoint.AddTransport"/>.
    /// </summary>
    /// <remarks>Default none: the first request opens sockets. Not used with a server's endpoint.</remarks>
    public IList<Func<IServiceProvider, CoapTransport>> Transports { get; } = new SettingList<Func<IServiceProvider, CoapTransport>>();

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

    internal PeerTransmissionParameters Peers { get; } = new();

    internal ConfigurationErrors Findings { get; } = new();

    internal CoapRequestDefaults ToDefaults()
    {
        _defaults.BaseAddress = BaseAddress;
        return _defaults;
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
    public CoapClientOptions ForPeers(string prefix, Func<CoapTransmissionParameters, CoapTransmissionParameters> change)
    {
        ArgumentNullException.ThrowIfNull(prefix);
        ArgumentNullException.ThrowIfNull(change);
        Peers.Add(prefix, change);
        return this;
    }
}
