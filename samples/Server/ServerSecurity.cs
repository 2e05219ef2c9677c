using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET;
using CoAP.NET.Dtls;

namespace Server;

/// <summary>
/// How the server proves itself on secured addresses, and whom it lets in there: by <c>coaps+tcp</c> and <c>coaps</c> alike.
/// </summary>
internal sealed class ServerSecurity
{
    /// <summary>The file with the server's certificate, and those between it and the root (PEM).</summary>
    public string? Certificate { get; set; }

    /// <summary>The file with its key (PEM); null when it is in the same file.</summary>
    public string? Key { get; set; }

    /// <summary>The file with the authority of the clients' certificates (PEM); null when they need none.</summary>
    public string? ClientAuthority { get; set; }

    /// <summary>Clients and their pre-shared keys, for <c>coaps</c>, beside those of <see cref="PskFile"/>.</summary>
    public List<CoapPskCredential> Psks { get; } = [];

    /// <summary>A file with more of them; null for none.</summary>
    public string? PskFile { get; set; }

    /// <summary>Sets the options of an endpoint.</summary>
    /// <param name="options">The options.</param>
    /// <param name="isDtls">Whether <c>coaps</c> is listened on.</param>
    /// <exception cref="ArgumentException">What was given does not fit together.</exception>
    public void ApplyTo(CoapEndpointOptions options, bool isDtls)
    {
        X509Certificate2Collection chain = [];
        X509Certificate2? own = null;
        if (Certificate is not null)
        {
            chain.ImportFromPemFile(Certificate);
            own = X509Certificate2.CreateFromPemFile(Certificate, Key ?? Certificate);
            options.Tls = MakeTls(own, chain);
        }

        CoapPskDictionary keys = PskFile is null ? [] : CoapPskDictionary.FromFile(PskFile);
        Psks.ForEach(keys.Add);
        if (keys.Count > 0 && !isDtls)
        {
            throw new ArgumentException("--psk is for coaps: add --bind coaps://[::].");
        }

        if (isDtls)
        {
            CoapDtlsServerOptions server = new()
            {
                PskStore = keys.Count > 0 ? keys : null,
                Certificate = own,
                RequireClientCertificate = own is not null && ClientAuthority is not null
            };
            server.Intermediates.AddRange(chain.Skip(1).ToArray());
            if (server.RequireClientCertificate)
            {
                server.TrustedAuthorities.ImportFromPemFile(ClientAuthority!);
            }

            options.UseDtls(new CoapDtlsOptions { Server = server });
        }
    }

    private CoapTlsOptions MakeTls(X509Certificate2 own, X509Certificate2Collection chain)
    {
        SslServerAuthenticationOptions server = new()
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(own, chain, offline: true)
        };
        if (ClientAuthority is not null)
        {
            server.ClientCertificateRequired = true;
            server.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(ClientAuthority) },
                RevocationMode = X509RevocationMode.NoCheck,
            };
        }

        return new CoapTlsOptions { Server = server };
    }
}
