using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Transports;

/// <summary>
/// The TLS options of one transport as handshakes use them: with ALPN <c>coap</c> (RFC 8323 section 8.2), without renegotiation, without
/// downloads for chains, and independent of later changes by the application.
/// </summary>
internal sealed class TlsSettings
{
    private readonly SslServerAuthenticationOptions? _server;
    private readonly ServerOptionsSelectionCallback? _select;
    private readonly SslClientAuthenticationOptions _client;

    public TlsSettings(CoapTlsOptions options)
    {
        _select = options.SelectServer;
        _client = TlsCopies.Of(options.Client ?? new SslClientAuthenticationOptions());
        _client.ApplicationProtocols = WithCoap(_client.ApplicationProtocols);
        _client.AllowRenegotiation = false;
        PeerChains.Guard(_client);
        if (options.Server is { } server)
        {
            _server = Prepare(server);

            // Created once: otherwise each handshake would search the certificates of the chain again.
            if (_server is { ServerCertificateContext: null, ServerCertificateSelectionCallback: null,
                ServerCertificate: X509Certificate2 { HasPrivateKey: true } certificate })
            {
                _server.ServerCertificateContext = SslStreamCertificateContext.Create(certificate, additionalCertificates: null,
                    offline: true);
            }
        }
    }

    /// <summary>The application protocol of CoAP over TLS (RFC 8323 section 11.7).</summary>
    public static SslApplicationProtocol Coap { get; } = new("coap");

    /// <summary>Whether these options can serve: they have a certificate, or a callback that selects one.</summary>
    public static bool CanServe(CoapTlsOptions? options) =>
        options is { SelectServer: not null }
        or { Server.ServerCertificate: not null }
        or { Server.ServerCertificateContext: not null }
        or { Server.ServerCertificateSelectionCallback: not null };

    /// <summary>Returns the identity of the peer after the handshake.</summary>
    public static CoapTlsIdentity IdentityOf(SslStream stream, string? serverName)
    {
        X509Certificate2? certificate = stream.RemoteCertificate switch
        {
            null => null,
            X509Certificate2 full => full,
            X509Certificate other => X509CertificateLoader.LoadCertificate(other.GetRawCertData()),
        };
        return new CoapTlsIdentity(certificate, serverName, stream.SslProtocol, stream.NegotiatedCipherSuite);
    }

    /// <summary>Returns the options of a server for one client; see <see cref="ServerOptionsSelectionCallback"/>.</summary>
    public async ValueTask<SslServerAuthenticationOptions> SelectAsync(SslStream stream, SslClientHelloInfo hello, object? state,
        CancellationToken cancellationToken)
    {
        if (_select is not null && await _select(stream, hello, state, cancellationToken).ConfigureAwait(false) is { } chosen)
        {
            return Prepare(chosen);
        }

        return _server ?? throw new AuthenticationException(
            $"CoapTlsOptions.SelectServer gave no options for the name '{hello.ServerName}', and there are no others in "
                + "CoapTlsOptions.Server.");
    }

    /// <summary>Returns the options of a client for one server.</summary>
    /// <param name="host">The host of the URI, a name or an address; the certificate must match it.</param>
    /// <param name="check">Records the errors of the certificate.</param>
    public SslClientAuthenticationOptions ForServer(string host, TlsCheck check)
    {
        SslClientAuthenticationOptions options = TlsCopies.Of(_client);
        if (string.IsNullOrEmpty(options.TargetHost))
        {
            options.TargetHost = host;
        }

        check.UserCallback = options.RemoteCertificateValidationCallback;
        options.RemoteCertificateValidationCallback = check.Validate;
        return options;
    }

    private static SslServerAuthenticationOptions Prepare(SslServerAuthenticationOptions options)
    {
        SslServerAuthenticationOptions copy = TlsCopies.Of(options);
        copy.ApplicationProtocols = WithCoap(copy.ApplicationProtocols);
        copy.AllowRenegotiation = false;
        PeerChains.Guard(copy);
        return copy;
    }

    private static List<SslApplicationProtocol> WithCoap(List<SslApplicationProtocol>? protocols) =>
        protocols is null ? [Coap] : protocols.Contains(Coap) ? protocols : [.. protocols, Coap];
}
