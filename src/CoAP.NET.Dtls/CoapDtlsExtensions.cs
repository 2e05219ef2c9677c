using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Composition;
using CoAP.NET.Dtls;

namespace CoAP.NET;

/// <summary>Adds <c>coaps</c> (RFC 7252 section 9) to clients and servers, and gives them their keys.</summary>
/// <remarks><see cref="UseDtls"/> sets everything beyond keys. Call it first: the other methods add to its options.</remarks>
public static class CoapDtlsExtensions
{
    private const string Scheme = "coaps";

    /// <summary>Gives a client its identity and its pre-shared key for all servers (RFC 7252 section 9.1.3.1).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="identity">The client's identity: 1 to 128 bytes of UTF-8 without NUL. It is sent unencrypted.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied. Use 16 random bytes: attackers can guess short keys and words.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
    /// <remarks>A later call replaces an earlier one.</remarks>
    public static CoapEndpointOptions UsePsk(this CoapEndpointOptions options, string identity, ReadOnlySpan<byte> key) =>
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
    /// <param name="certificate">The certificate with its private key, which may be in a store of the platform; copied.</param>
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
        using CoapCertificateChain own = CoapCertificateChain.Load(certificateFile, keyFile, password);
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
        X509Certificate2Collection authorities = CoapCertificateChain.LoadAuthorities(file);
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

    /// <summary>Lets an endpoint listen on <c>coaps</c> addresses and send requests to them (RFC 7252 section 9).</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="dtls">Credentials and limits. They are read-only from now on.</param>
    /// <returns><paramref name="options"/>.</returns>
    /// <exception cref="ArgumentException">The DTLS options contradict each other; the message names what to change.</exception>
    /// <remarks>A later call replaces an earlier one.</remarks>
    public static CoapEndpointOptions UseDtls(this CoapEndpointOptions options, CoapDtlsOptions dtls)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(dtls);
        DtlsTransportFactory factory = DtlsTransportFactory.Make(dtls);
        foreach (ICoapTransportFactory before in options.Transports.Factories.Where(before => before.Scheme == factory.Scheme).ToArray())
        {
            options.Transports.Factories.Remove(before);
        }

        options.Transports.Factories.Add(factory);
        return options;
    }

    /// <summary>Returns the options that <see cref="UseDtls"/> received; null without such a call. Do not change them.</summary>
    internal static CoapDtlsOptions? FindDtls(this CoapEndpointOptions options) =>
        options.Transports.Factories.OfType<DtlsTransportFactory>().FirstOrDefault()?.Options;

    /// <summary>Changes the options that an earlier <see cref="UseDtls"/> received, for code that adds to DTLS set up elsewhere.</summary>
    /// <param name="options">The options of the endpoint.</param>
    /// <param name="change">Changes a copy of the DTLS options, which then replaces them.</param>
    /// <returns>True if it called <paramref name="change"/>; false without an earlier <see cref="UseDtls"/>.</returns>
    /// <exception cref="ArgumentException">The changed options contradict each other; the endpoint keeps the old ones.</exception>
    internal static bool TryChangeDtls(this CoapEndpointOptions options, Action<CoapDtlsOptions> change)
    {
        ArgumentNullException.ThrowIfNull(options);
        ArgumentNullException.ThrowIfNull(change);
        if (options.FindDtls() is not { } used)
        {
            return false;
        }

        CoapDtlsOptions dtls = used.Clone();
        change(dtls);
        options.UseDtls(dtls);
        return true;
    }

    private static CoapEndpointOptions Change(CoapEndpointOptions options, Action<CoapDtlsClientOptions> change)
    {
        ArgumentNullException.ThrowIfNull(options);
        CoapDtlsOptions dtls = options.FindDtls()?.Clone() ?? new CoapDtlsOptions();
        change(dtls.Client ??= new CoapDtlsClientOptions());
        return options.UseDtls(dtls);
    }
}
