using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Cryptography;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls;

/// <summary>The checked options in the form that sessions and handshakes use; the caller cannot change them.</summary>
internal sealed class DtlsSettings
{
    private const int UnknownCid = -1;

    private readonly CoapDtlsOptions _options;
    private readonly Lock _gate = new();
    private ServerResumptionCache? _resumable;
    private KeyLogFile? _keyLog;

    private DtlsSettings(CoapDtlsOptions options, bool isServer)
    {
        _options = options;
        if (options.Server is { } server && isServer)
        {
            PskStore = server.PskStore;
            SessionBackup = server.SessionBackup ?? (server.SessionFile is { } file
                ? new CoapDtlsSessionBackupOptions(new SessionFileBackup(file), file.Key) { IsForStopsOnly = true }
                : null);
            Steering = server.Steering;
            ValidateClientPublicKey = server.ValidateClientPublicKey is { } accepts
                ? (key, token) => CallbackException.GuardAsync("CoapDtlsServerOptions.ValidateClientPublicKey", () => accepts(key, token))
                : null;
            ServerLimits = new DtlsServerLimits
            {
                MaxSessions = server.MaxSessions,
                MaxSessionsPerAddress = server.MaxSessionsPerAddress,
                MaxSessionsPerIdentity = server.MaxSessionsPerIdentity,
                MaxHandshakes = server.MaxHandshakes,
                MaxHandshakesPerAddress = server.MaxHandshakesPerAddress,
                HandshakeTimeout = options.HandshakeTimeout,
                IdleTimeout = server.SessionIdleTimeout,
            };
        }

        if (options.Client is { } client)
        {
            HasClient = true;
            Client = new DtlsClientSettings
            {
                SelectPsk = SelectionOf(client),
                Certificates = CheckOf(client),
                ValidateRawPublicKey = client.ValidateServerPublicKey is { } takes
                    ? (server, key, token) => CallbackException.GuardAsync(
                        "CoapDtlsClientOptions.ValidateServerPublicKey", () => takes(server, key, token))
                    : null,
                HandshakeTimeout = options.HandshakeTimeout,
                IdleTimeout = client.SessionIdleTimeout,
                MaxResumable = client.MaxResumableSessions,
            };
        }
    }

    /// <summary>Whether the endpoint can open sessions.</summary>
    public bool HasClient { get; }

    /// <summary>How a client opens sessions.</summary>
    public DtlsClientSettings Client { get; } = new();

    /// <summary>The limits of a server.</summary>
    public DtlsServerLimits ServerLimits { get; } = new();

    /// <summary>Decides about raw public keys of clients, or null: none is good.</summary>
    public Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateClientPublicKey { get; }

    /// <summary>How sessions survive the process, or null.</summary>
    public CoapDtlsSessionBackupOptions? SessionBackup { get; }

    /// <summary>Decides which sessions belong to this server; null: all.</summary>
    public ICoapDtlsSteering? Steering { get; }

    /// <summary>Finds the keys of clients, or null.</summary>
    public ICoapPskStore? PskStore { get; }

    /// <summary>Creates settings from options.</summary>
    /// <param name="options">The options; copied.</param>
    /// <param name="isServer">Whether the endpoint serves.</param>
    /// <exception cref="ArgumentException">
    /// They contradict each other, or do not allow serving; the message names what to change.
    /// </exception>
    public static DtlsSettings From(CoapDtlsOptions options, bool isServer)
    {
        if (isServer)
        {
            ThrowIfCannotServe(options);
        }

        options.Validate();
        DtlsSettings settings = new(options.Clone(), isServer);
        options.MakeReadOnly("an endpoint");
        return settings;
    }

    /// <summary>Throws if credentials for listening are missing.</summary>
    /// <exception cref="ArgumentException">There are no credentials of a server.</exception>
    public static void ThrowIfCannotServe(CoapDtlsOptions options)
    {
        if (options.Server is null)
        {
            throw new ArgumentException(
                "To listen on coaps, CoapDtlsOptions.Server must say by which credentials: set it, with PskStore or Certificate.");
        }
    }

    /// <summary>Chooses the credentials of a server for each handshake; null: always those of the options.</summary>
    public Func<string?, CoapDtlsCredentials?>? SelectServerCredentials => _options.Server?.SelectCredentials;

    /// <summary>Chooses the credentials of a client for each handshake; null: always those of the options.</summary>
    public Func<CoapDtlsTargetServer, CoapDtlsCredentials?>? SelectClientCredentials => _options.Client?.SelectCredentials;

    /// <summary>
    /// Returns the validation of client certificates. It throws with the reason when it refuses one, and the handshake reports that reason.
    /// </summary>
    /// <param name="time">The clock for their validity.</param>
    /// <param name="credentials">The selected credentials; null for those of the options.</param>
    /// <returns>Null if the server asks for none.</returns>
    public Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>>? ValidateClientsBy(
        TimeProvider time, CoapDtlsCredentials? credentials = null)
    {
        CoapDtlsServerOptions server = _options.Server!;
        if (!server.RequireClientCertificate && !server.RequestClientCertificate)
        {
            return null;
        }

        PeerCertificateValidator check = new()
        {
            IsOfServers = false,
            Authorities = credentials?.TrustedAuthorities ?? server.TrustedAuthorities,
            Revocation = server.RevocationMode,
            RevocationLists = credentials is null ? server.RevocationLists : credentials.RevocationLists,
            Decides = DecisionOf(server.ValidateClientCertificate, "CoapDtlsServerOptions.ValidateClientCertificate"),
        };
        return async (leaf, sent, token) =>
            await check.RefusesAsync(leaf, sent, name: null, time.GetUtcNow(), token).ConfigureAwait(false) is { } why
                ? throw new CoapDtlsException(why)
                : true;
    }

    /// <summary>Creates a context that handshakes of a server share.</summary>
    /// <param name="time">The clock for the resumption of sessions.</param>
    /// <param name="storeFailed">Runs when the store of resumable sessions threw.</param>
    /// <param name="credentials">The selected credentials; null for those of the options.</param>
    /// <exception cref="CoapDtlsException">
    /// .NET lacks its cryptography, or a certificate is not suitable, or a server that asks for certificates was given no authority; the
    /// message says what to do.
    /// </exception>
    public SharedHandshakeContext MakeServerContext(
        TimeProvider time, Action<Exception>? storeFailed = null, CoapDtlsCredentials? credentials = null)
    {
        CoapDtlsServerOptions server = _options.Server!;
        X509Certificate2Collection authorities = credentials?.TrustedAuthorities ?? server.TrustedAuthorities;
        if (credentials is { TrustedAuthorities.Count: 0 } && server is { ValidateClientCertificate: null }
            && (server.RequireClientCertificate || server.RequestClientCertificate))
        {
            throw new CoapDtlsException(
                "CoapDtlsServerOptions wants certificates of clients, but the selected CoapDtlsCredentials name no authority, so that a "
                    + "certificate of any public authority would be accepted. Give them trustedAuthorities.");
        }

        return Make(new HandshakeSettings
        {
            IsServer = true,
            Suites = ConfiguredCipherSuites.OfServer(_options),
            Certificate = credentials is null ? server.OwnCertificate : credentials.Certificate,
            Intermediates = [.. credentials?.Intermediates ?? server.Signer?.Intermediates ?? server.Intermediates],
            Signer = credentials is null ? server.Signer : credentials.Signer,
            RequiresClientCertificate = server.RequireClientCertificate || server.RequireClientPublicKey,
            RequiresExtendedMasterSecret = _options.RequireExtendedMasterSecret,
            Trust = TrustOf(server, authorities),
            RequestsClientCertificate = server.RequestClientCertificate || server.ValidateClientPublicKey is not null,
            RawPublicKey = server.RawPublicKey,
            TakesRawPublicKeys = server.ValidateClientPublicKey is not null,
            PskIdentityHint = server.PskIdentityHint,
            Mtu = _options.MaxDatagramSize,
            RecordSizeLimit = _options.RecordSizeLimit,
            RetransmitTimeout = _options.RetransmitTimeout,
            OwnCidLength = _options.UseConnectionIds ? DtlsServer.CidLength : UnknownCid,
            SessionStore = server.ResumableIn ?? Resumable(server.MaxResumableSessions, time),
            SessionStoreFailed = storeFailed,
            AsyncSessionStore = server.ResumptionStore,
            ResumptionLifetime = server.ResumptionLifetime,
            Time = time,
            KeyLog = KeyLog(),
        });
    }

    /// <summary>Creates a context that handshakes of a client share.</summary>
    /// <param name="credentials">The selected credentials; null for those of the options.</param>
    /// <exception cref="CoapDtlsException">.NET lacks its cryptography, or a certificate is not suitable; the message says what to
    /// do.</exception>
    public SharedHandshakeContext MakeClientContext(CoapDtlsCredentials? credentials = null)
    {
        CoapDtlsClientOptions client = _options.Client!;
        return Make(new HandshakeSettings
        {
            IsServer = false,
            Suites = ConfiguredCipherSuites.OfClient(_options),
            Certificate = credentials is null ? client.OwnCertificate : credentials.Certificate,
            Signer = credentials is null ? client.Signer : credentials.Signer,
            RawPublicKey = client.RawPublicKey,
            TakesRawPublicKeys = client.ValidateServerPublicKey is not null,
            RequiresExtendedMasterSecret = _options.RequireExtendedMasterSecret,
            Intermediates = [.. credentials?.Intermediates ?? client.Signer?.Intermediates ?? client.Intermediates],
            Mtu = _options.MaxDatagramSize,
            RecordSizeLimit = _options.RecordSizeLimit,
            RetransmitTimeout = _options.RetransmitTimeout,
            OwnCidLength = _options.UseConnectionIds ? _options.ClientCidLength : UnknownCid,
            KeyLog = KeyLog(),
        });
    }

    /// <summary>Returns the check of certificates of servers.</summary>
    /// <param name="credentials">The selected credentials; null for those of the options.</param>
    public PeerCertificateValidator CheckServersBy(CoapDtlsCredentials? credentials) => CheckOf(_options.Client!, credentials);

    private static SharedHandshakeContext Make(HandshakeSettings settings)
    {
        // Keys, certificates and AES-GCM are .NET's; a processor with AES needs nothing of it for pre-shared keys with AES-CCM.
        if (!PlatformCryptographyAvailability.IsAvailable)
        {
            CipherSuite[] suites =
            [
                .. settings.Suites.Where(
                    static suite => suite is { KeyExchange: KeyExchange.Psk, Mode: AeadMode.Ccm, KeyLength: ProcessorAesCcm.KeyLength }
                        && ProcessorAesCcm.IsSupported),
            ];
            string missing = PlatformCryptographyAvailability.Missing(settings.Suites.Any(static suite => suite.UsesPreSharedKey)
                ? "coaps with these cipher suites, or on a processor without AES instructions,"
                : "coaps with certificates");
            if (suites.Length == 0 && settings.IsServer)
            {
                throw new CoapDtlsException(missing);
            }

            // A server without credentials for requests of its own has the part of a client too: that fails with its first request.
            settings = settings with { Suites = suites, Missing = suites.Length == 0 ? missing : null };
        }

        try
        {
            return new SharedHandshakeContext(settings);
        }
        catch (Exception exception) when (exception is InvalidOperationException or CryptographicException)
        {
            throw new CoapDtlsException(exception.Message, exception);
        }
    }

    // Functions are not comparable; their presence is.
    private static byte[] TrustOf(CoapDtlsServerOptions server, X509Certificate2Collection authorities)
    {
        Sha256 hash = new();
        foreach (byte[] authority in authorities.Select(static one => Sha256.HashData(one.RawDataMemory.Span))
            .OrderBy(Convert.ToHexStringLower, StringComparer.Ordinal))
        {
            hash.Append(authority);
        }

        hash.Append(
        [
            (byte)server.RevocationMode,
            server.ValidateClientCertificate is null ? (byte)0 : (byte)1,
            server.RequireClientPublicKey ? (byte)1 : (byte)0,
            server.PskStore is null ? (byte)0 : (byte)1,
        ]);
        byte[] digest = new byte[Sha256.HashLength];
        hash.Finish(digest);
        return digest;
    }

    private static PeerCertificateValidator CheckOf(CoapDtlsClientOptions client, CoapDtlsCredentials? credentials = null) => new()
    {
        IsOfServers = true,
        Authorities = credentials?.TrustedAuthorities ?? client.TrustedAuthorities,
        Revocation = client.RevocationMode,
        RevocationLists = credentials is null ? client.RevocationLists : credentials.RevocationLists,
        Decides = DecisionOf(client.ValidateServerCertificate, "CoapDtlsClientOptions.ValidateServerCertificate"),
    };

    private static Func<X509Certificate2, X509Chain, SslPolicyErrors, CancellationToken, ValueTask<bool>>? DecisionOf(
        Func<X509Certificate2, X509Chain, SslPolicyErrors, CancellationToken, ValueTask<bool>>? decides, string name) => decides is null
            ? null
            : (certificate, chain, errors, token) =>
                CallbackException.GuardAsync(name, () => decides(certificate, chain, errors, token));

    private static Func<CoapDtlsTargetServer, CancellationToken, ValueTask<CoapPskCredential?>>? SelectionOf(CoapDtlsClientOptions client)
    {
        if (client.SelectPsk is { } select)
        {
            return (server, token) => CallbackException.GuardAsync("CoapDtlsClientOptions.SelectPsk", () => select(server, token));
        }

        return client.Psk is { } psk ? (_, _) => ValueTask.FromResult<CoapPskCredential?>(psk) : null;
    }

    /// <summary>Forgets the sessions that clients could resume, and overwrites their secrets.</summary>
    public void ForgetResumable()
    {
        lock (_gate)
        {
            _resumable?.Clear();
        }
    }

    private ServerResumptionCache? Resumable(int max, TimeProvider time)
    {
        lock (_gate)
        {
            return max > 0 ? _resumable ??= new ServerResumptionCache(max, time) : null;
        }
    }

    private Action<string>? KeyLog()
    {
        if (_options.KeyLogFile is not { } path)
        {
            return null;
        }

        lock (_gate)
        {
            return (_keyLog ??= new KeyLogFile(path)).Write;
        }
    }
}
