using System.Net.Security;
using System.Security.Authentication;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Limits;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// The TLS options of one transport as handshakes use them: with ALPN <c>coap</c> (RFC 8323 section 8.2), without renegotiation, without
/// downloads for chains, and independent of later changes by the application.
/// </summary>
internal sealed class TlsSettings
{
    private readonly SslServerAuthenticationOptions? _server;
    private readonly ServerOptionsSelectionCallback? _select;
    private readonly Func<string, SslClientAuthenticationOptions?>? _selectClient;
    private readonly SslClientAuthenticationOptions _client;

    public TlsSettings(CoapTlsOptions options)
    {
        _select = options.SelectServer;
        _selectClient = options.SelectClient;
        _client = Prepare(options.Client ?? new SslClientAuthenticationOptions());
        if (options.Server is { } server)
        {
            _server = Prepare(server);

            // Created once: otherwise each handshake would search the certificates of the chain again.
            if (_server is
                {
                    ServerCertificateContext: null, ServerCertificateSelectionCallback: null,
                    ServerCertificate: X509Certificate2 { HasPrivateKey: true } certificate
                })
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
    public static CoapTlsPeerIdentity IdentityOf(SslStream stream, string? serverName)
    {
        X509Certificate2? certificate = stream.RemoteCertificate switch
        {
            null => null,
            X509Certificate2 full => full,
            X509Certificate other => X509CertificateLoader.LoadCertificate(other.GetRawCertData()),
        };
        return new CoapTlsPeerIdentity(certificate, serverName, stream.SslProtocol, stream.NegotiatedCipherSuite);
    }

    /// <summary>Returns the options of a server for one client; see <see cref="ServerOptionsSelectionCallback"/>.</summary>
    /// <param name="stream">The connection.</param>
    /// <param name="hello">What the client requests.</param>
    /// <param name="check">The check of the certificate of the client, a <see cref="TlsClientCertificateCheck"/>.</param>
    /// <param name="cancellationToken">Stops it.</param>
    public async ValueTask<SslServerAuthenticationOptions> SelectAsync(SslStream stream, SslClientHelloInfo hello, object? check,
        CancellationToken cancellationToken)
    {
        TlsClientCertificateCheck ofClient = (TlsClientCertificateCheck)check!;
        SslServerAuthenticationOptions options =
            await ChooseAsync(stream, hello, ofClient, cancellationToken).ConfigureAwait(false) is { } chosen ? Prepare(chosen)
            : _server is not null ? TlsOptionsCopier.Of(_server)
            : throw new AuthenticationException(
                $"CoapTlsOptions.SelectServer gave no options for the name '{hello.ServerName}', and there are no others in "
                    + "CoapTlsOptions.Server.");
        ofClient.Attach(options);
        return options;
    }

    private async ValueTask<SslServerAuthenticationOptions?> ChooseAsync(
        SslStream stream, SslClientHelloInfo hello, TlsClientCertificateCheck check, CancellationToken cancellationToken)
    {
        try
        {
            return _select is null ? null : await _select(stream, hello, null, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            check.Threw("CoapTlsOptions.SelectServer", exception);
            throw;
        }
    }

    /// <summary>Returns the options of a client for one server.</summary>
    /// <param name="host">The host of the URI, a name or an address; the certificate must match it.</param>
    /// <param name="check">Records the errors of the certificate.</param>
    public SslClientAuthenticationOptions ForServer(string host, TlsServerCertificateCheck check)
    {
        SslClientAuthenticationOptions options = _selectClient?.Invoke(host) is { } chosen ? Prepare(chosen) : TlsOptionsCopier.Of(_client);
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
        SslServerAuthenticationOptions copy = TlsOptionsCopier.Of(options);
        copy.ApplicationProtocols = WithCoap(copy.ApplicationProtocols);
        copy.AllowRenegotiation = false;
        OfflineCertificateChainPolicy.Guard(copy);
        return copy;
    }

    private static SslClientAuthenticationOptions Prepare(SslClientAuthenticationOptions options)
    {
        SslClientAuthenticationOptions copy = TlsOptionsCopier.Of(options);
        copy.ApplicationProtocols = WithCoap(copy.ApplicationProtocols);
        copy.AllowRenegotiation = false;
        OfflineCertificateChainPolicy.Guard(copy);
        return copy;
    }

    private static List<SslApplicationProtocol> WithCoap(List<SslApplicationProtocol>? protocols) =>
        protocols is null ? [Coap] : protocols.Contains(Coap) ? protocols : [.. protocols, Coap];
}
