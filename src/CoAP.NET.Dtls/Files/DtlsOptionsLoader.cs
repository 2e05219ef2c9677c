using CoAP.NET.Dtls.Credentials;
using CoAP.NET.Files;

namespace CoAP.NET.Dtls.Files;

/// <summary>Creates DTLS options from <see cref="CoapDtlsFileOptions"/>. No message contains a key.</summary>
internal static class DtlsOptionsLoader
{
    /// <summary>Creates the options of a server.</summary>
    /// <param name="files">The files and keys.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Server:Dtls</c>.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <param name="watched">Gets the sources of the files, which may change; null if they are only checked.</param>
    /// <param name="own">The keys of code; null for none.</param>
    /// <param name="store">Finds all pre-shared keys, in place of the others; null for none.</param>
    /// <returns>The options; null if there are none, or they have an error.</returns>
    public static CoapDtlsOptions? Load(CoapDtlsServerFileOptions files, string section, out string? problem,
        List<WatchedCredentials>? watched = null, CoapPskDictionary? own = null, ICoapPskStore? store = null)
    {
        problem = null;
        if (files.IsEmpty && own is null && store is null)
        {
            return null;
        }

        LoadedCertificates? contents = null;
        CertificateSource<CoapDtlsCredentials>? source = SourceOf(files, section, read => contents ??= read, ref problem);
        ICoapPskStore? keys = store ?? KeysOf(files, own, section, ref problem);
        CoapDtlsOptions dtls = Common(files);

        // For requests that the server sends itself.
        dtls.Client = ClientOf(contents, source, files);
        dtls.Client.SessionIdleTimeout = files.SessionIdleTimeout;
        if (contents?.Own is not null || keys is not null)
        {
            dtls.Server = ServerOf(contents, source, keys, files);
        }
        else if (files.PskIdentityHint is not null || files.ClientCertificates != CoapClientCertificateMode.None)
        {
            problem ??= $"{section} has no credentials for clients. Set {section}:PskFile or {section}:Psk for those with pre-shared "
                + $"keys, {section}:Certificate for those that check one.";
        }

        watched?.AddRange(new WatchedCredentials?[] { source, keys as PskFileStore }.OfType<WatchedCredentials>());
        return Checked(dtls, section, ref problem);
    }

    /// <summary>Creates the options of a client.</summary>
    /// <param name="files">The files and the key; without any setting the client trusts the system's authorities.</param>
    /// <param name="section">The prefix of the keys in messages, such as <c>Coap:Client:Dtls</c>.</param>
    /// <param name="problem">The problem and its place; null for none.</param>
    /// <param name="watched">Gets the source of the files, which may change; null if they are only checked.</param>
    /// <returns>The options; null if they have an error.</returns>
    public static CoapDtlsOptions? Load(
        CoapDtlsClientFileOptions files, string section, out string? problem, List<WatchedCredentials>? watched = null)
    {
        problem = null;
        LoadedCertificates? contents = null;
        CertificateSource<CoapDtlsCredentials>? source = SourceOf(files, section, read => contents ??= read, ref problem);
        CoapDtlsOptions dtls = Common(files);
        dtls.Client = ClientOf(contents, source, files);
        dtls.Client.SessionIdleTimeout = files.SessionIdleTimeout;
        if (files.PskIdentity is null != files.PskKey is null)
        {
            (string set, string missing) = files.PskKey is null ? ("PskIdentity", "PskKey") : ("PskKey", "PskIdentity");
            problem ??= $"{section}:{set} is set, but {section}:{missing} is not. One goes only with the other.";
        }
        else if (files is { PskIdentity: { } identity, PskKey: { } key })
        {
            dtls.Client.Psk = PskOf(identity, key, $"{section}:PskKey", ref problem);
        }

        watched?.AddRange(new WatchedCredentials?[] { source }.OfType<WatchedCredentials>());
        return Checked(dtls, section, ref problem);
    }

    private static CoapDtlsOptions Common(CoapDtlsFileOptions files)
    {
        CoapDtlsOptions dtls = new()
        {
            UseConnectionIds = files.UseConnectionIds,
            RequireExtendedMasterSecret = files.RequireExtendedMasterSecret,
            RetransmitTimeout = files.RetransmitTimeout,
            HandshakeTimeout = files.HandshakeTimeout,
            MaxDatagramSize = files.MaxDatagramSize,
        };
        foreach (CoapDtlsCipherSuite suite in files.CipherSuites)
        {
            dtls.CipherSuites.Add(suite);
        }

        return dtls;
    }

    // Null if there are no files of certificates, or one has an error.
    private static CertificateSource<CoapDtlsCredentials>? SourceOf(
        CoapDtlsFileOptions files, string section, Action<LoadedCertificates> read, ref string? problem)
    {
        CertificatePaths paths = new(section, files.Certificate, files.Key, files.Password, files.Authorities, files.Crl);
        if (OperatingSystem.IsLinux() && paths.All.Any() && problem is null)
        {
            try
            {
                // .NET needs OpenSSL to read certificates, and ends the process without one.
                OwnCertificateValidator.ThrowIfNetLacksCryptography();
            }
            catch (CoapDtlsException exception)
            {
                problem = $"{section}: {exception.Message}";
                return null;
            }
        }

        CertificateSource<CoapDtlsCredentials>? source = CertificateSource<CoapDtlsCredentials>.Load(paths, contents =>
        {
            read(contents);
            return new CoapDtlsCredentials(
                contents.Own is { } own ? new CoapCertificateChain(own.Own, own.Intermediates) : null, contents.Authorities,
                contents.RevocationLists);
        }, static identity => (identity as CoapDtlsPeerIdentity)?.Certificate, ref problem);
        return paths.All.Any() ? source : null;
    }

    private static CoapDtlsServerOptions ServerOf(LoadedCertificates? contents, CertificateSource<CoapDtlsCredentials>? source,
        ICoapPskStore? keys, CoapDtlsServerFileOptions files)
    {
        CoapDtlsServerOptions server = new()
        {
            PskStore = keys,
            PskIdentityHint = files.PskIdentityHint,
            Certificate = contents?.Own?.Own,
            SelectCredentials = source is null || contents?.Own is null ? null : _ => source.Current,
            RequireClientCertificate = files.ClientCertificates == CoapClientCertificateMode.Required,
            RequestClientCertificate = files.ClientCertificates == CoapClientCertificateMode.Optional,
            RevocationMode = files.Revocation,
            MaxSessions = files.MaxSessions,
            MaxSessionsPerAddress = files.MaxSessionsPerAddress,
            MaxSessionsPerIdentity = files.MaxSessionsPerIdentity,
            MaxHandshakes = files.MaxHandshakes,
            MaxHandshakesPerAddress = files.MaxHandshakesPerAddress,
            SessionIdleTimeout = files.SessionIdleTimeout,
        };
        server.Intermediates.AddRange(contents?.Own?.Intermediates ?? []);
        if (files.ClientCertificates != CoapClientCertificateMode.None)
        {
            server.TrustedAuthorities.AddRange(contents?.Authorities ?? []);
        }

        return server;
    }

    private static CoapDtlsClientOptions ClientOf(
        LoadedCertificates? contents, CertificateSource<CoapDtlsCredentials>? source, CoapDtlsFileOptions files)
    {
        CoapDtlsClientOptions client = new()
        {
            Certificate = contents?.Own?.Own,
            SelectCredentials = source is null ? null : _ => source.Current,
            RevocationMode = files.Revocation,
        };
        client.Intermediates.AddRange(contents?.Own?.Intermediates ?? []);
        client.TrustedAuthorities.AddRange(contents?.Authorities ?? []);
        return client;
    }

    private static ICoapPskStore? KeysOf(
        CoapDtlsServerFileOptions files, CoapPskDictionary? own, string section, ref string? problem)
    {
        FileStamp stamp = files.PskFile is null ? default : FileStamp.Of(files.PskFile);
        CoapPskDictionary ofFile = CertificateFiles.Read($"{section}:PskFile", files.PskFile, CoapPskDictionary.FromFile, ref problem)
            ?? [];
        CoapPskDictionary keys = own ?? [];
        foreach ((string identity, string key) in files.Psk)
        {
            if (PskOf(identity, key, $"{section}:Psk:{identity}", ref problem) is { } credential)
            {
                keys.Add(credential);
            }
        }

        if (keys.FirstOrDefault(ofFile.Contains) is { } twice)
        {
            problem ??= $"{section}:Psk:{twice}: {section}:PskFile has a key for this identity too. Leave one of them out.";
        }

        return files.PskFile is { } path ? new PskFileStore(path, ofFile, stamp, keys) : keys.Count > 0 ? keys : null;
    }

    private static CoapPskCredential? PskOf(string identity, string key, string name, ref string? problem)
    {
        // In the combined text, the last colon ends the identity.
        if (key.Contains(':', StringComparison.Ordinal))
        {
            problem ??= $"{name}: a text key must not contain a colon. Write it as 0x and hexadecimal digits.";
            return null;
        }

        try
        {
            return CoapPskCredential.Parse($"{identity}:{key}");
        }
        catch (CoapCredentialException exception)
        {
            problem ??= $"{name}: {exception.Message}";
            return null;
        }
    }

    private static CoapDtlsOptions? Checked(CoapDtlsOptions dtls, string section, ref string? problem)
    {
        if (problem is not null)
        {
            return null;
        }

        try
        {
            dtls.Validate();
            return dtls;
        }
        catch (ArgumentException exception)
        {
            problem = $"{section}: {exception.Message}";
            return null;
        }
    }
}
