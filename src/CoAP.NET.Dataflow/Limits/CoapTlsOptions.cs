using System.Net.Security;
using CoAP.NET.Limits;

namespace CoAP.NET;

/// <summary>The TLS options for <c>coaps+tcp</c> (RFC 8323 section 8.2), as <see cref="SslStream"/> uses them.</summary>
/// <remarks>
/// Read-only once an endpoint uses them; it copies the options of .NET in them. <see cref="SelectServer"/> and <see cref="SelectClient"/>
/// renew certificates while the endpoint runs. A missing ALPN <c>coap</c> is added. .NET supports neither pre-shared keys nor raw public
/// keys for TLS.
/// </remarks>
[HasSettings]
public sealed partial class CoapTlsOptions
{
    /// <summary>The options of a server, with at least a certificate.</summary>
    /// <remarks>Default null: it cannot listen on <c>coaps+tcp</c>.</remarks>
    public partial SslServerAuthenticationOptions? Server { get; set; }

    /// <summary>
    /// Chooses the options of a server for each connection by the requested host name, for example for certificates of several hosts or
    /// renewed ones.
    /// </summary>
    /// <remarks>
    /// It has priority over <see cref="Server"/>, which applies if it returns null. Return a cached
    /// <see cref="SslStreamCertificateContext"/>: with only a certificate, each handshake searches for its chain.
    /// </remarks>
    public partial ServerOptionsSelectionCallback? SelectServer { get; set; }

    /// <summary>The options of a client, for the validation of servers and its own credentials.</summary>
    /// <remarks>Default null: certificates must be valid for the host of the URI and trusted by the operating system.</remarks>
    public partial SslClientAuthenticationOptions? Client { get; set; }

    /// <summary>Chooses the options of a client for each connection, for example with a renewed certificate.</summary>
    /// <remarks>
    /// Gets the host of the URI. It has priority over <see cref="Client"/>, which applies if it returns null. It must return quickly:
    /// return prepared options. An exception fails the connection. Default null.
    /// </remarks>
    public partial Func<string, SslClientAuthenticationOptions?>? SelectClient { get; set; }

    /// <summary>Whether an endpoint can listen with them.</summary>
    internal bool HasServer => Server is not null || SelectServer is not null;

    internal CoapTlsOptions Clone() => new()
    {
        Server = Server is null ? null : TlsOptionsCopier.Of(Server),
        SelectServer = SelectServer,
        SelectClient = SelectClient,
        Client = Client is null ? null : TlsOptionsCopier.Of(Client),
    };
}
