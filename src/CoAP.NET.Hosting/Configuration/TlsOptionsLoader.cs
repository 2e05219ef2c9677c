using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;

namespace CoAP.NET.Hosting.Configuration;

/// <summary>Loads options of TLS from the files that <see cref="CoapTlsFileOptions"/> names.</summary>
internal static class TlsOptionsLoader
{
    /// <summary>Creates the options of TLS.</summary>
    /// <param name="files">The files.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server</c>.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <param name="watched">Receives the source of the files, which may change; null if they are only checked.</param>
    /// <returns>The options; null if there are no files, or one has an error.</returns>
    public static CoapTlsOptions? Load(
        CoapTlsFileOptions files, string section, out string? problem, List<WatchedCredentials>? watched = null)
    {
        problem = null;
        if (files.IsEmpty)
        {
            return null;
        }

        if (!PlatformCryptographyAvailability.IsAvailable)
        {
            problem = $"{section}:Tls: {PlatformCryptographyAvailability.Missing("TLS")}";
            return null;
        }

        CertificatePaths paths = new(
            $"{section}:Tls", files.Certificate, files.Key, files.Password, files.Authorities, files.Crl);
        if (CertificateSource<TlsCredentials>.Load(paths, contents => Make(contents, files),
            static identity => (identity as CoapTlsPeerIdentity)?.Certificate, ref problem) is not { } source)
        {
            return null;
        }

        watched?.Add(source);
        TlsCredentials first = source.Current;
        return new CoapTlsOptions
        {
            Server = first.Server,
            SelectServer = first.Server is null ? null : (_, _, _, _) => ValueTask.FromResult(source.Current.Server!),
            Client = first.Client,
            SelectClient = _ => source.Current.Client,
        };
    }

    /// <summary>
    /// Checks that a server which requests client certificates names their authorities: with those of the operating system it would accept
    /// any public certificate.
    /// </summary>
    /// <param name="files">The files of a server.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server</c>.</param>
    /// <returns>The problem; null for none.</returns>
    public static string? CheckClientCertificates(CoapTlsFileOptions files, string section) =>
        files.ClientCertificates == CoapClientCertificateMode.None || files.Authorities is not null ? null
            : $"{section}:Tls:ClientCertificates is {files.ClientCertificates}, but {section}:Tls:Authorities is not set, so that a "
                + "certificate of any public authority would be accepted. "
                + $"Set {section}:Tls:Authorities to a PEM file with the authorities of your clients. To decide otherwise, set "
                + "Endpoint.Tls in code.";

    private static TlsCredentials Make(LoadedCertificates contents, CoapTlsFileOptions files)
    {
        SslStreamCertificateContext? own = contents.Own is { } pair
            ? SslStreamCertificateContext.Create(pair.Own, pair.Intermediates, offline: true)
            : null;
        return new TlsCredentials(own is null ? null : ServerOf(own, contents, files), new SslClientAuthenticationOptions
        {
            ClientCertificateContext = own,
            CertificateChainPolicy = PolicyOf(contents.Authorities, files),
            RemoteCertificateValidationCallback = ValidationOf(contents.RevocationLists, allowsNone: false),
        });
    }

    private static SslServerAuthenticationOptions ServerOf(SslStreamCertificateContext own, LoadedCertificates contents,
        CoapTlsFileOptions files)
    {
        SslServerAuthenticationOptions options = new()
        {
            ServerCertificateContext = own,
            ClientCertificateRequired = files.ClientCertificates != CoapClientCertificateMode.None
        };
        if (options.ClientCertificateRequired)
        {
            options.CertificateChainPolicy = PolicyOf(contents.Authorities, files);
            options.RemoteCertificateValidationCallback = ValidationOf(
                contents.RevocationLists, allowsNone: files.ClientCertificates == CoapClientCertificateMode.Optional);
        }

        return options;
    }

    // Null if the platform does the same without a callback.
    private static RemoteCertificateValidationCallback? ValidationOf(CoapRevocationLists? lists, bool allowsNone)
    {
        SslPolicyErrors ignored = allowsNone ? SslPolicyErrors.RemoteCertificateNotAvailable : SslPolicyErrors.None;
        return lists is null && !allowsNone ? null : (_, certificate, chain, errors) => (errors & ~ignored) == SslPolicyErrors.None
            && (lists is null || certificate is null || (chain is not null && !lists.IsRevoked(chain)));
    }

    private static X509ChainPolicy PolicyOf(X509Certificate2Collection? authorities, CoapTlsFileOptions files)
    {
        X509ChainPolicy policy = new() { RevocationMode = files.Revocation, DisableCertificateDownloads = true };
        if (authorities is not null)
        {
            policy.TrustMode = X509ChainTrustMode.CustomRootTrust;
            policy.CustomTrustStore.AddRange(authorities);
        }

        return policy;
    }
}
