using System.Net.Security;

namespace CoAP.NET;

/// <summary>
/// TLS for <c>coaps+tcp</c> (RFC 8323 section 8.2), by what <see cref="SslStream"/> takes. The options are copied when a transport is made;
/// ALPN <c>coap</c> is added where it is missing. .NET offers no pre-shared keys and no raw public keys for TLS.
/// </summary>
public sealed class CoapTlsOptions
{
    /// <summary>
    /// How a server proves itself and whom it lets in: at least a certificate. Default null: it cannot listen on <c>coaps+tcp</c>.
    /// </summary>
    public SslServerAuthenticationOptions? Server { get; set; }

    /// <summary>
    /// Chooses the options of a server for each connection, by the name that the client asks for, such as for certificates of several hosts
    /// or ones that are renewed. Goes before <see cref="Server"/>, which holds where it gives null. Give a
    /// <see cref="SslStreamCertificateContext"/> that was made once: a certificate alone costs each handshake the search for its chain.
    /// </summary>
    public ServerOptionsSelectionCallback? SelectServer { get; set; }

    /// <summary>
    /// How a client checks servers and proves itself. Default null: certificates must be valid for the host of the URI and trusted by the
    /// operating system.
    /// </summary>
    public SslClientAuthenticationOptions? Client { get; set; }

    internal CoapTlsOptions Clone() => new()
    {
        Server = Server is null ? null : Transports.TlsCopies.Of(Server),
        SelectServer = SelectServer,
        Client = Client is null ? null : Transports.TlsCopies.Of(Client),
    };
}
