using System.Net;
using CoAP.NET.Hosting.Configuration;
using CoAP.NET.Http;
using CoAP.NET.Proxy;
using CoAP.NET.Settings;

namespace CoAP.NET.Hosting;

/// <summary>Options of a server's proxy, and the paths that it serves.</summary>
/// <remarks>
/// Configuration comes first, from <c>Coap:Proxy</c> or, for a server with a name, <c>Coap:Proxies:NAME</c>; code runs afterwards and takes
/// precedence. The application checks all options when it starts. Mutable until then.
/// </remarks>
[HasSettings]
public sealed partial class CoapHostedProxyOptions
{
    /// <summary>The options of the proxy.</summary>
    /// <remarks>
    /// <see cref="CoapProxyOptions.Targets"/> has the allowed targets of a forward proxy. Configuration adds those of
    /// <see cref="AllowedHosts"/> and <see cref="AllowedNetworks"/>.
    /// </remarks>
    public CoapProxyOptions Proxy { get; } = new();

    /// <summary>Whether it is a forward proxy, for requests with Proxy-Uri or Proxy-Scheme. Default false.</summary>
    public partial bool Forward { get; set; }

    /// <summary>Whether a forward proxy also forwards to allowed <c>http</c> and <c>https</c> targets. Default false.</summary>
    public partial bool ForwardHttp { get; set; }

    /// <summary>The allowed target hosts of a forward proxy; see <see cref="CoapProxyTargets.AllowHost"/>. Default none.</summary>
    public IList<string> AllowedHosts { get; } = new SettingList<string>();

    /// <summary>
    /// The allowed target networks of a forward proxy; see <see cref="CoapProxyTargets.AllowNetwork(string)"/>. Default none.
    /// </summary>
    public IList<string> AllowedNetworks { get; } = new SettingList<string>();

    /// <summary>The paths that the proxy forwards to CoAP and HTTP servers. Default none.</summary>
    public IList<CoapProxyRoute> Routes { get; } = new SettingList<CoapProxyRoute>();

    /// <summary>
    /// The key that signs the identity of a device for HTTP back ends: text, or <c>0x</c> and hexadecimal digits, 32 bytes or more; see
    /// <see cref="CoapHttpBackendOptions.IdentityKey"/>.
    /// </summary>
    /// <remarks>
    /// With it back ends get the identity of the device's pre-shared key, or the subject of its certificate. Default null: they get none.
    /// </remarks>
    public partial string? IdentityKey { get; set; }

    /// <summary>The header field of the identity; see <see cref="CoapHttpBackendOptions.IdentityHeader"/>. Default
    /// <c>Authorization</c>.</summary>
    public partial string IdentityHeader { get; set; } = "Authorization";

    /// <summary>
    /// Configures the requests to HTTP servers, after configuration, for each HTTP target of <see cref="Routes"/> and for a forward proxy,
    /// for example with a client of <c>IHttpClientFactory</c>.
    /// </summary>
    /// <remarks>It gets the services of the application. Default null.</remarks>
    public partial Action<CoapHttpBackendOptions, IServiceProvider>? ConfigureHttp { get; set; }

    /// <summary>Whether unknown keys of the configuration section only cause a warning.</summary>
    /// <remarks>Default false: the application does not start, because most of them are misspelled.</remarks>
    public partial bool AllowUnknownKeys { get; set; }

    internal ConfigurationErrors Findings { get; } = new();
}
