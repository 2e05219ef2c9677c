using System.CommandLine;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Composition;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cli.Serving;

/// <summary>The credentials of the <c>coap serve</c> server on secured addresses, and the clients that it accepts there.</summary>
internal static class ServeSecurity
{
    /// <summary>Applies the command line to TLS and DTLS.</summary>
    /// <exception cref="UsageException">Options contradict each other or the addresses.</exception>
    public static void Apply(
        ParseResult parse, ServerKeyOptions options, IEnumerable<string> addresses, CoapEndpointOptions endpoint, string listen = "--bind")
    {
        FileInfo? file = parse.GetValue(options.Certificate);
        FileInfo? authority = parse.GetValue(options.Ca);
        X509Certificate2? own = CertificateFiles.Own(file, parse.GetValue(options.Key));
        if (own is null && authority is not null)
        {
            throw new UsageException("--ca needs --cert: the server must present a certificate.");
        }

        X509Certificate2Collection intermediates = file is null ? [] : CertificateFiles.Intermediates(file);
        X509Certificate2Collection authorities = authority is null ? [] : CertificateFiles.Authorities([authority]);
        if (own is not null)
        {
            endpoint.Tls = TlsOf(own, intermediates, authorities);
        }

        bool hasKeys = parse.GetValue(options.Psk) is { Length: > 0 } || parse.GetValue(options.PskFile) is not null;
        if (addresses.Any(static address => address.StartsWith("coaps:", StringComparison.OrdinalIgnoreCase)))
        {
            if (own is null && !hasKeys)
            {
                throw new UsageException(MissingTransportMessage.NoKeys,
                    "--psk ID:KEY admits a client with this key, --cert FILE and --key FILE present a certificate.");
            }

            endpoint.UseDtls(DtlsOf(parse, options, hasKeys, own, intermediates, authorities));
        }
        else if (hasKeys)
        {
            throw new UsageException("Pre-shared keys are for coaps://, and the server does not listen on "
                + "it.", $"Add {listen} coaps://[::].");
        }
    }

    private static CoapTlsOptions TlsOf(X509Certificate2 own, X509Certificate2Collection intermediates,
        X509Certificate2Collection authorities)
    {
        SslServerAuthenticationOptions server = new()
        {
            ServerCertificateContext = SslStreamCertificateContext.Create(own, intermediates, offline: true)
        };
        if (authorities.Count > 0)
        {
            server.ClientCertificateRequired = true;
            server.CertificateChainPolicy = new X509ChainPolicy
            {
                TrustMode = X509ChainTrustMode.CustomRootTrust,
                RevocationMode = X509RevocationMode.NoCheck,
                DisableCertificateDownloads = true,
            };
            server.CertificateChainPolicy.CustomTrustStore.AddRange(authorities);
        }

        return new CoapTlsOptions { Server = server };
    }

    private static CoapDtlsOptions DtlsOf(
        ParseResult parse, ServerKeyOptions options, bool hasKeys, X509Certificate2? own, X509Certificate2Collection intermediates,
        X509Certificate2Collection authorities)
    {
        CoapDtlsServerOptions server = new() { Certificate = own, RequireClientCertificate = authorities.Count > 0 };
        server.Intermediates.AddRange(intermediates);
        server.TrustedAuthorities.AddRange(authorities);
        if (hasKeys)
        {
            CoapPskDictionary keys = parse.GetValue(options.PskFile) is { } file ? CoapPskDictionary.FromFile(file.FullName) : [];
            foreach (string text in parse.GetValue(options.Psk) ?? [])
            {
                keys.Add(PskParser.Parse(text));
            }

            server.PskStore = keys;
        }

        return new CoapDtlsOptions { Server = server };
    }
}
