using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Protects a request with a profile of the server, or with keys and certificates of the user if they are allowed.</summary>
internal static class RequestCredentialsApplier
{
    // RFC 4279 section 5.3 requires support for keys of up to 64 bytes.
    private const int LongestKey = 1024;

    /// <summary>Configures a client.</summary>
    /// <exception cref="ExplorerException">The profile is unknown or for another host, or the secrets are not valid.</exception>
    public static void Apply(UserCoapCredentials security, CoapUri uri, CoapExplorerOptions options, CoapEndpointOptions endpoint)
    {
        if (security.Profile is { } name)
        {
            CoapExplorerProfile profile = options.Profiles.FirstOrDefault(one => one.Name == name)
                ?? throw ExplorerException.Bad("No such profile", "This page has no profile of that name.", "Reload the page.");
            if (profile.Host is { } host && !string.Equals(host, uri.Host, StringComparison.OrdinalIgnoreCase))
            {
                throw ExplorerException.Bad(
                    "Another host", $"The profile '{name}' is for {host} only.", "Choose another one, or none.");
            }

            profile.Configure(endpoint);
            return;
        }

        if (security is { Identity: null, Ca: null, Certificate: null, Key: null, Insecure: false })
        {
            return;
        }

        if (!options.AllowSecretsOfUsers)
        {
            throw new ExplorerException(403, new("Not allowed", "This page does not accept user keys.", "Choose one of its profiles."));
        }

        if ((security.Certificate ?? security.Ca) is not null && !PlatformCryptographyAvailability.IsAvailable)
        {
            throw ExplorerException.Bad(
                "No OpenSSL", PlatformCryptographyAvailability.Missing("A certificate"), "Use a pre-shared key, or none.");
        }

        try
        {
            if (uri.Scheme == "coaps")
            {
                ApplyDtls(security, endpoint);
            }
            else if (security.Identity is not null)
            {
                throw ExplorerException.Bad(
                    "A key for coaps", $"A pre-shared key requires coaps, but the scheme is {uri.Scheme}.",
                    "Use coaps://, or remove the key.");
            }
            else
            {
                ApplyTls(security, endpoint);
            }
        }
        catch (Exception exception) when (exception is CryptographicException or ArgumentException or FormatException)
        {
            // The message of the exception might quote the key.
            throw ExplorerException.Bad("Credentials not read", "The key or certificate is not readable.",
                "Use PEM for certificates and their keys, and text or 0x with hexadecimal digits for a pre-shared key.");
        }
    }

    private static void ApplyDtls(UserCoapCredentials security, CoapEndpointOptions endpoint)
    {
        CoapDtlsClientOptions client = new()
        {
            Psk = security.Identity is { } identity ? new CoapPskCredential(identity, KeyOf(security.Key ?? "")) : null,
            Certificate = CertificateOf(security),
        };
        client.TrustedAuthorities.AddRange(AuthoritiesOf(security));
        if (security.Insecure)
        {
            client.ValidateServerCertificate = static (_, _, _, _) => new(true);
        }

        endpoint.UseDtls(new CoapDtlsOptions { Client = client });
    }

    private static void ApplyTls(UserCoapCredentials security, CoapEndpointOptions endpoint)
    {
        SslClientAuthenticationOptions client = new();
        if (security.Ca is not null)
        {
            client.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                DisableCertificateDownloads = true,
            };
            client.CertificateChainPolicy.CustomTrustStore.AddRange(AuthoritiesOf(security));
        }

        if (CertificateOf(security) is { } own)
        {
            client.ClientCertificateContext = SslStreamCertificateContext.Create(own, null, offline: true);
        }

        if (security.Insecure)
        {
#pragma warning disable CA5359 // The user requests it with a switch that explains the risk.
            client.RemoteCertificateValidationCallback = (_, _, _, _) => true;
#pragma warning restore CA5359
        }

        endpoint.Tls = new CoapTlsOptions { Client = client };
    }

    private static X509Certificate2? CertificateOf(UserCoapCredentials security) =>
        security.Certificate is { } pem ? X509Certificate2.CreateFromPem(pem, security.Key ?? pem) : null;

    private static X509Certificate2Collection AuthoritiesOf(UserCoapCredentials security)
    {
        X509Certificate2Collection all = [];
        if (security.Ca is { } pem)
        {
            all.ImportFromPem(pem);
        }

        return all;
    }

    private static byte[] KeyOf(string text)
    {
        byte[] key = text.StartsWith("0x", StringComparison.OrdinalIgnoreCase)
            ? Convert.FromHexString(text.AsSpan(2)) : Encoding.UTF8.GetBytes(text);
        return key.Length is > 0 and <= LongestKey
            ? key
            : throw ExplorerException.Bad(
                "No key", "A pre-shared key has 1 to 1,024 bytes.", "Write it as text, or as 0x and hexadecimal digits.");
    }
}
