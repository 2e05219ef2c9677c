using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls;

/// <summary>Checks that options fit together when the application sets them, and not at the first failing handshake.</summary>
internal static class DtlsOptionsValidator
{
    private const int KeySize = 256;

    /// <summary>Checks options.</summary>
    /// <exception cref="ArgumentException">An option is missing or contradicts another; the message names what to change.</exception>
    public static void Check(CoapDtlsOptions options)
    {
        if (options.Server is null && options.Client is null)
        {
            throw new ArgumentException(
                "CoapDtlsOptions has neither Server nor Client. Set Server to listen on coaps, Client to send requests to it, or both.");
        }

        if (options.Server is { } server)
        {
            CheckServer(server);
        }

        if (options.Client?.Certificate is { } certificate)
        {
            CheckCertificate("CoapDtlsClientOptions.Certificate", certificate);
        }

        if (options.Client is { } client)
        {
            CheckOwnKey("CoapDtlsClientOptions", client.Certificate, client.RawPublicKey, client.Signer,
                client.SelectCredentials is not null);
        }

        if (options is { Server: { RevocationLists: not null, RequireClientCertificate: false, RequestClientCertificate: false } })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions.RevocationLists concern certificates of clients, but the server asks for none. Set "
                    + "RequireClientCertificate or RequestClientCertificate, or leave RevocationLists out.");
        }

        if (options.Client is { Certificate: null, Intermediates.Count: > 0 })
        {
            throw new ArgumentException(
                "CoapDtlsClientOptions.Intermediates are sent with a Certificate, and there is none. Set Certificate; authorities to be "
                    + "trusted belong into TrustedAuthorities.");
        }

        CheckSuites(options);
    }

    private static void CheckServer(CoapDtlsServerOptions server)
    {
        if (server is { PskStore: null, HasOwnKey: false })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions has no credentials. Set PskStore for clients with pre-shared keys, Certificate (or RawPublicKey, "
                    + "Signer or SelectCredentials) for those that check one, or both.");
        }

        CheckOwnKey("CoapDtlsServerOptions", server.Certificate, server.RawPublicKey, server.Signer, server.SelectCredentials is not null);

        if (server.PskIdentityHint is { } hint && PskRules.ProblemOfIdentity(hint) is { } problem)
        {
            throw new ArgumentException($"CoapDtlsServerOptions.PskIdentityHint: {problem}");
        }

        if (server is { SessionFile: not null, SessionBackup: not null })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions has SessionFile and SessionBackup, but a session is kept in one place. Leave SessionFile out: a "
                    + "backup has the sessions after a stop as well as after a crash.");
        }

        if (server is { ResumptionStore: not null } and ({ ResumableIn: not null } or { MaxResumableSessions: > 0 }))
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions has MaxResumableSessions and ResumptionStore, but a session is kept in one place. Leave "
                    + "MaxResumableSessions out where servers share their sessions, otherwise the other.");
        }

        if (server is { Steering: not null, SessionBackup: null })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions has Steering and no SessionBackup, so no session could be handed over to another server. Set "
                    + "SessionBackup, with a backup that the servers share.");
        }

        if (server is { RequireClientPublicKey: true, ValidateClientPublicKey: null })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions.RequireClientPublicKey requires raw public keys of clients, but nothing decides which are "
                    + "valid. Set "
                    + "ValidateClientPublicKey.");
        }

        if (server.RequireClientPublicKey && (server.RequireClientCertificate || server.RequestClientCertificate))
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions.RequireClientPublicKey admits no client by a certificate, but another option asks for "
                    + "certificates too. For clients with either set RequireClientCertificate and ValidateClientPublicKey, and leave "
                    + "RequireClientPublicKey out.");
        }

        if (server is { RequireClientPublicKey: true, HasOwnKey: false })
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions.RequireClientPublicKey goes with a Certificate or a RawPublicKey of the server, and there is none. "
                    + "Set one of them.");
        }

        bool asks = server.RequireClientCertificate || server.RequestClientCertificate;
        bool decides = server.TrustedAuthorities.Count > 0 || server.ValidateClientCertificate is not null;
        bool selects = server.SelectCredentials is not null;
        if (server.Certificate is null)
        {
            if (asks && !server.HasOwnKey)
            {
                throw new ArgumentException(
                    "CoapDtlsServerOptions wants certificates of clients, but has no Certificate of its own, and one goes only with the "
                        + "other. Set Certificate.");
            }

            if (server.Intermediates.Count > 0)
            {
                throw new ArgumentException(
                    "CoapDtlsServerOptions.Intermediates are sent with a Certificate, and there is none. Set Certificate.");
            }
        }
        else
        {
            CheckCertificate("CoapDtlsServerOptions.Certificate", server.Certificate);
        }

        // Without a certificate of the options there is no handshake without selected credentials.
        if (asks && !decides && !(selects && server.OwnCertificate is null))
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions wants certificates of clients, but does not say which. Put their authorities into "
                    + "TrustedAuthorities, or set ValidateClientCertificate.");
        }

        if (decides && !asks)
        {
            throw new ArgumentException(
                "CoapDtlsServerOptions decides which certificates of clients are valid, but requests none. Set "
                    + "RequireClientCertificate, or "
                    + "RequestClientCertificate if clients without one are served as well.");
        }
    }

    private static void CheckCertificate(string name, X509Certificate2 certificate)
    {
        if (OwnCertificateValidator.ProblemOf(certificate) is { } problem)
        {
            throw new ArgumentException($"{name}: {problem}");
        }
    }

    private static void CheckOwnKey(string name, X509Certificate2? certificate, ECDsa? key, CoapDtlsSigner? signer, bool selects)
    {
        if (signer is not null && (certificate is not null || key is not null))
        {
            throw new ArgumentException(
                $"{name} has a Signer and a Certificate or a RawPublicKey. The signer has the certificate or the public key: leave the "
                    + "others out.");
        }

        if (signer is { PublicKey: not null } && selects)
        {
            throw new ArgumentException(
                $"{name} has a Signer with a raw public key and SelectCredentials, but an endpoint presents only one of them. "
                    + "Leave one out.");
        }

        if (key is not null && selects)
        {
            throw new ArgumentException(
                $"{name} has a RawPublicKey and SelectCredentials, but an endpoint presents only one of them. Leave one out.");
        }

        if (key is not null && certificate is not null)
        {
            throw new ArgumentException($"{name} has a Certificate and a RawPublicKey, but an endpoint presents only one of "
                + "them. Leave one out.");
        }

        if (key is not null && key.KeySize != KeySize)
        {
            throw new ArgumentException(
                $"{name}.RawPublicKey has {key.KeySize} bits. Use an ECDSA key on P-256 (RFC 7252 section 9.1.3.2).");
        }
    }

    private static void CheckSuites(CoapDtlsOptions options)
    {
        IReadOnlyList<CipherSuite> server = ConfiguredCipherSuites.OfServer(options);
        IReadOnlyList<CipherSuite> client = ConfiguredCipherSuites.OfClient(options);
        if (options.CipherSuites.Count > 0
            && ConfiguredCipherSuites.Named(options)
                .FirstOrDefault(suite => !server.Contains(suite) && !client.Contains(suite)) is { } useless)
        {
            throw new ArgumentException(
                $"CoapDtlsOptions.CipherSuites holds {useless}, which needs {What(useless)}. "
                    + $"Set {(useless.UsesPreSharedKey ? "Server.PskStore or Client.Psk" : "Server.Certificate, an ECDSA one on P-256")}, "
                    + "or leave it out.");
        }

        if (options.Server is { } served && server.Count == 0)
        {
            string suite = !served.HasOwnKey
                ? nameof(CoapDtlsCipherSuite.PskAes128Ccm8)
                : nameof(CoapDtlsCipherSuite.EcdheEcdsaAes128Ccm8);
            throw new ArgumentException(
                "CoapDtlsOptions.CipherSuites holds none that goes with the credentials of Server. "
                    + $"Add {suite}, or leave the list empty.");
        }

        if (options.Client is not null && client.Count == 0)
        {
            throw new ArgumentException(
                "CoapDtlsOptions.CipherSuites holds none that goes with the credentials of Client. Add EcdheEcdsaAes128Ccm8, or set "
                    + "Client.Psk, or leave the list empty.");
        }
    }

    private static string What(CipherSuite suite) => suite.UsesPreSharedKey ? "pre-shared keys" : "a certificate";
}
