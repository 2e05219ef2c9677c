using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET;
using CoAP.NET.Dtls;

namespace Client;

/// <summary>Whom the client trusts on <c>coaps+tcp</c> and <c>coaps</c>, and how it proves itself.</summary>
/// <param name="Authority">The certificate of the authority to trust (PEM); null for those that the operating system trusts.</param>
/// <param name="Certificate">The client's own certificate (PEM); null for none.</param>
/// <param name="Key">Its key (PEM); null when it is in the same file.</param>
/// <param name="Psk">Identity and pre-shared key, for <c>coaps</c> only; null for none.</param>
/// <param name="IsInsecure">Whether any server will do: for trying out only, as it may be anybody.</param>
internal sealed record Security(string? Authority, string? Certificate, string? Key, string? Psk, bool IsInsecure)
{
    /// <summary>Sets the options of an endpoint.</summary>
    /// <param name="options">The options.</param>
    /// <param name="uri">What is asked.</param>
    /// <exception cref="ArgumentException">There is a pre-shared key, and what is asked is not <c>coaps</c>: what was to be secret must not
    /// go out in the clear.</exception>
    public void ApplyTo(CoapEndpointOptions options, string uri)
    {
        if (uri.StartsWith("coaps:", StringComparison.OrdinalIgnoreCase))
        {
            ApplyDtlsTo(options);
        }
        else if (Psk is not null)
        {
            throw new ArgumentException("--psk is for coaps://.");
        }

        options.Tls = new CoapTlsOptions { Client = MakeTls() };
    }

    private void ApplyDtlsTo(CoapEndpointOptions options)
    {
        options.UseDtls(new CoapDtlsOptions
        {
            Client = new CoapDtlsClientOptions { ValidateServerCertificate = IsInsecure ? (_, _, _, _) => new(true) : null },
        });
        if (Psk is not null)
        {
            options.UsePsk(CoapPskCredential.Parse(Psk));
        }

        if (Certificate is not null)
        {
            options.UseCertificate(Certificate, Key);
        }

        if (Authority is not null)
        {
            options.TrustAuthorities(Authority);
        }
    }

    private SslClientAuthenticationOptions MakeTls()
    {
        X509Certificate2? own = Certificate is null ? null : X509Certificate2.CreateFromPemFile(Certificate, Key ?? Certificate);
        SslClientAuthenticationOptions client = new();
        if (Authority is not null)
        {
            client.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                CustomTrustStore = { X509CertificateLoader.LoadCertificateFromFile(Authority) },
                RevocationMode = X509RevocationMode.NoCheck,
            };
        }

        if (own is not null)
        {
            client.ClientCertificateContext = SslStreamCertificateContext.Create(own, null, offline: true);
        }

        if (IsInsecure)
        {
#pragma warning disable CA5359 // Asked for by the user, by a switch that says what it is.
            client.RemoteCertificateValidationCallback = (_, _, _, _) => true;
#pragma warning restore CA5359
        }

        return client;
    }
}
