using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Composition;
using CoAP.NET.Dtls;

namespace CoAP.NET;

/// <summary>Gives clients and servers their keys for <c>coaps</c> (RFC 7252 section 9).</summary>
/// <remarks>
/// They build on <see cref="CoapDtlsEndpointExtensions.UseDtls"/>, which sets everything beyond keys. Call that one first, or change its
/// options afterwards by <see cref="CoapDtlsEndpointExtensions.TryChangeDtls"/>.
/// </remarks>
public static class CoapSecurityExtensions
{
    private const string Scheme = "coaps";

    /// <summary>Gives a client its identity and its pre-shared key for all servers (RFC 7252 section 9.1.3.1).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="identity">The client's identity: 1 to 128 bytes of UTF-8 without NUL. It is sent unencrypted.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied. Use 16 random bytes: attackers can guess short keys and words.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
    /// <remarks>A later call replaces an earlier one.</remarks>
    public static CoapEndpointOptions UsePsk(this CoapEndpointOptions options, string identity, ReadOnlyMemory<byte> key) =>
        options.UsePsk(new CoapPskCredential(identity, key));

    /// <summary>Gives a client its pre-shared key for all servers, such as <see cref="CoapPskCredential.Parse"/> returns.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="credential">Identity and key.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <remarks>A later call replaces an earlier one.</remarks>
    public static CoapEndpointOptions UsePsk(this CoapEndpointOptions options, CoapPskCredential credential)
    {
        ArgumentNullException.ThrowIfNull(credential);
        return Change(options, client => client.Psk = credential);
    }

    /// <summary>Gives a client its certificate, ECDSA on P-256 (RFC 7252 section 9.1.3.3).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="certificate">The certificate with its exportable private key; copied.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The certificate is not suitable for CoAP; the message says what to do.</exception>
    /// <remarks>
    /// The client accepts servers of the authorities that the operating system trusts, unless <see cref="TrustAuthorities"/> names others.
    /// </remarks>
    public static CoapEndpointOptions UseCertificate(this CoapEndpointOptions options, X509Certificate2 certificate)
    {
        ArgumentNullException.ThrowIfNull(certificate);
        return Change(options, client =>
        {
            client.Certificate = certificate;
            client.Intermediates.Clear();
        });
    }

    /// <summary>Gives a client its certificate from files, ECDSA on P-256 (RFC 7252 section 9.1.3.3).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="certificateFile">
    /// PEM: the certificate first, then the authorities between it and a root, if any; or PFX (PKCS #12).
    /// </param>
    /// <param name="keyFile">The private key in PEM; null if the file of the certificate contains it.</param>
    /// <param name="password">The password of the PFX file or of the encrypted PEM key; null for none.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapCredentialException">
    /// A file is not readable, or the certificate is not suitable for CoAP; the message says what to do.
    /// </exception>
    /// <remarks>
    /// The client reads the files once; <see cref="CoapDtlsClientOptions.SelectCredentials"/> renews a certificate. It accepts servers of
    /// the authorities that the operating system trusts, unless <see cref="TrustAuthorities"/> names others.
    /// </remarks>
    public static CoapEndpointOptions UseCertificate(
        this CoapEndpointOptions options, string certificateFile, string? keyFile = null, string? password = null)
    {
        ArgumentNullException.ThrowIfNull(options);
        using CoapCertificateChain own = CoapCertificates.Load(certificateFile, keyFile, password);
        return Change(options, client =>
        {
            client.Certificate = own.Certificate;
            client.Intermediates.Clear();
            client.Intermediates.AddRange(own.Intermediates);
        });
    }

    /// <summary>Names the authorities that must have issued the certificates of servers, in place of those of the system.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="file">PEM with one or more certificates, or one in DER.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="CoapCredentialException">The file is not readable, or holds no certificate.</exception>
    /// <remarks>A later call adds authorities.</remarks>
    public static CoapEndpointOptions TrustAuthorities(this CoapEndpointOptions options, string file)
    {
        ArgumentNullException.ThrowIfNull(options);
        X509Certificate2Collection authorities = CoapCertificates.LoadAuthorities(file);
        return Change(options, client => client.TrustedAuthorities.AddRange(authorities));
    }

    /// <summary>Lets a server listen on an address of <c>coaps</c>, with its keys.</summary>
    /// <param name="server">The server.</param>
    /// <param name="uri">
    /// Host and port, such as <c>coaps://[::]</c> for all addresses and the default port, 5684; see <see cref="CoapEndpoint.Listen"/>.
    /// </param>
    /// <param name="configure">Sets the keys, such as <c>keys => keys.UsePskFile("devices.psk")</c>.</param>
    /// <returns><paramref name="server"/>.</returns>
    /// <exception cref="CoapCredentialException">
    /// A key is missing, a file is not readable, or its content is not suitable; the message says what to set, and contains no key.
    /// </exception>
    /// <exception cref="ArgumentException">The URI is not an address of <c>coaps</c>, or a key of <c>UsePsk</c> is not valid.</exception>
    /// <exception cref="InvalidOperationException">The server was already started, or has keys for <c>coaps</c> already.</exception>
    /// <remarks>
    /// The keys are those of the server for all its addresses of <c>coaps</c>: call <see cref="CoapServer.Listen"/> for further ones. The
    /// server reads changed files while it runs.
    /// </remarks>
    public static CoapServer ListenSecure(this CoapServer server, string uri, Action<CoapServerKeys> configure)
    {
        ArgumentNullException.ThrowIfNull(server);
        ArgumentException.ThrowIfNullOrEmpty(uri);
        ArgumentNullException.ThrowIfNull(configure);
        if (!uri.StartsWith(Scheme + "://", StringComparison.OrdinalIgnoreCase))
        {
            throw new ArgumentException($"'{uri}': ListenSecure is for coaps://. Call Listen for other schemes.", nameof(uri));
        }

        TransportSet transports = server.Endpoint.Core.Transports;
        CoapDtlsOptions? before = (transports.FactoryOf(Scheme) as DtlsTransportFactory)?.Options;
        if (before?.Server is not null)
        {
            throw new InvalidOperationException(
                "The server has keys for coaps already. Set all of them in one place, and call Listen for further addresses of coaps.");
        }

        CoapServerKeys keys = new();
        configure(keys);
        transports.Listen(uri, DtlsTransportFactory.Make(keys.AddTo(before)));
        _ = keys.FollowAsync(server);
        return server;
    }

    private static CoapEndpointOptions Change(CoapEndpointOptions options, Action<CoapDtlsClientOptions> change)
    {
        ArgumentNullException.ThrowIfNull(options);
        CoapDtlsOptions dtls =
            options.TransportFactories.OfType<DtlsTransportFactory>().FirstOrDefault()?.Options.Clone() ?? new CoapDtlsOptions();
        change(dtls.Client ??= new CoapDtlsClientOptions());
        return options.UseDtls(dtls);
    }
}
