using System.Net;
using CoAP.NET.Http;
using CoAP.NET.Proxy;

namespace CoAP.NET.Hosting;

/// <summary>
/// How the proxy of a server works, and which paths it serves. Configuration is read into it first, from <c>Coap:Proxy</c> or, for a server
/// with a name, <c>Coap:Proxies:NAME</c>; code comes after it and has the last word. Everything is checked when the application starts.
/// Mutable until then.
/// </summary>
public sealed class CoapHostedProxyOptions
{
    /// <summary>How it works. Whom a forward proxy may ask is said here by <see cref="CoapProxyOptions.Targets"/>, and in configuration by
    /// <see cref="AllowedHosts"/> and <see cref="AllowedNetworks"/>, which are added.</summary>
    public CoapProxyOptions Proxy { get; } = new();

    /// <summary>Whether it is a forward proxy, for requests with Proxy-Uri or Proxy-Scheme. Default false.</summary>
    public bool Forward { get; set; }

    /// <summary>Whether a forward proxy asks for <c>http</c> and <c>https</c> targets too, those that are allowed. Default false.</summary>
    public bool ForwardHttp { get; set; }

    /// <summary>Hosts that a forward proxy may ask; see <see cref="CoapProxyTargets.AllowHost"/>. Default none.</summary>
    public IList<string> AllowedHosts { get; } = [];

    /// <summary>Networks that a forward proxy may ask; see <see cref="CoapProxyTargets.AllowNetwork(IPNetwork)"/>. Default none.</summary>
    public IList<IPNetwork> AllowedNetworks { get; } = [];

    /// <summary>Paths that are served by asking other CoAP servers. Default none.</summary>
    public IList<CoapReverseProxyRoute> Reverse { get; } = [];

    /// <summary>Paths that are served by asking HTTP servers. Default none.</summary>
    public IList<CoapHttpBackendRoute> HttpBackends { get; } = [];

    /// <summary>
    /// The key that signs who a device is, for HTTP back ends: text, or <c>0x</c> and hexadecimal digits, 32 bytes or more; see
    /// <see cref="CoapHttpBackendOptions.IdentityKey"/>. With it back ends are told the identity of the pre-shared key, or the subject of
    /// the certificate, of the device. Default null: they are told nothing.
    /// </summary>
    public string? IdentityKey { get; set; }

    /// <summary>The header field of the identity; see <see cref="CoapHttpBackendOptions.IdentityHeader"/>. Default
    /// <c>Authorization</c>.</summary>
    public string IdentityHeader { get; set; } = "Authorization";

    /// <summary>
    /// Changes how HTTP servers are asked, after configuration, for each of <see cref="HttpBackends"/> and for a forward proxy: such as a
    /// client of <c>IHttpClientFactory</c>. It is given the services of the application. Default null.
    /// </summary>
    public Action<CoapHttpBackendOptions, IServiceProvider>? ConfigureHttp { get; set; }

    /// <summary>
    /// Whether keys of the configuration section that are not known are a warning only. Default false: the application does not start, as
    /// most of them are misspelled.
    /// </summary>
    public bool AllowUnknownKeys { get; set; }

    internal ConfigurationFindings Findings { get; } = new();
}
