using CoAP.NET.Composition;
using CoAP.NET.Dtls;
using CoAP.NET.Dtls.Files;

namespace CoAP.NET;

/// <summary>The keys of a server on <c>coaps</c>, and the clients that it accepts.</summary>
/// <remarks>
/// <see cref="CoapDtlsExtensions.ListenSecure"/> takes it. Pre-shared keys and a certificate may be combined: clients choose. The
/// server overwrites keys and the contents of key files when it has ended, and never logs them.
/// </remarks>
public sealed class CoapServerKeys
{
    private const string Name = nameof(CoapDtlsExtensions.ListenSecure);

    private readonly CoapDtlsServerFileOptions _files = new();
    private readonly List<WatchedCredentials> _watched = [];
    private readonly CoapPskDictionary _own = [];
    private ICoapPskStore? _store;

    internal CoapServerKeys()
    {
    }

    /// <summary>Accepts a client with a pre-shared key (RFC 7252 section 9.1.3.1).</summary>
    /// <param name="identity">The client's identity: 1 to 128 bytes of UTF-8 without NUL.</param>
    /// <param name="key">The key, 1 to 64 bytes; copied. Use 16 random bytes for each client.</param>
    /// <returns>These keys.</returns>
    /// <exception cref="ArgumentException">The identity or the key is not valid.</exception>
    public CoapServerKeys UsePsk(string identity, ReadOnlySpan<byte> key)
    {
        _own.Add(identity, key);
        return this;
    }

    /// <summary>Accepts a client with a pre-shared key, such as <see cref="CoapPskCredential.Parse"/> returns.</summary>
    /// <param name="credential">Identity and key; copied.</param>
    /// <returns>These keys.</returns>
    public CoapServerKeys UsePsk(CoapPskCredential credential)
    {
        _own.Add(credential);
        return this;
    }

    /// <summary>Accepts the clients whose pre-shared keys a function finds, for example in a database.</summary>
    /// <param name="findKey">
    /// Gets the identity that a client claims, and returns its key; empty when there is none. See
    /// <see cref="ICoapPskStore.FindKeyAsync"/>.
    /// </param>
    /// <returns>These keys.</returns>
    /// <remarks>It finds all pre-shared keys of the server, so do not combine it with others.</remarks>
    public CoapServerKeys UsePsk(Func<string, CancellationToken, ValueTask<ReadOnlyMemory<byte>>> findKey)
    {
        ArgumentNullException.ThrowIfNull(findKey);
        return UsePsk(new DelegatePskStore(findKey));
    }

    /// <summary>Accepts the clients whose pre-shared keys a store finds.</summary>
    /// <param name="store">The store, such as a <see cref="CoapPskDictionary"/> that changes while the server runs. Not copied.</param>
    /// <returns>These keys.</returns>
    /// <remarks>It finds all pre-shared keys of the server, so do not combine it with others.</remarks>
    public CoapServerKeys UsePsk(ICoapPskStore store)
    {
        ArgumentNullException.ThrowIfNull(store);
        _store = store;
        return this;
    }

    /// <summary>Accepts the clients of a file of pre-shared keys, in the format of <see cref="CoapPskDictionary"/>.</summary>
    /// <param name="path">The file, with a line <c>identity:key</c> for each client.</param>
    /// <returns>These keys.</returns>
    /// <remarks>
    /// If the file changes while the server runs, the server takes the new keys, unless the file has an error, which it logs. Sessions of
    /// removed identities end; the others stay open, also if their key was replaced.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty.</exception>
    public CoapServerKeys UsePskFile(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        _files.PskFile = path;
        return this;
    }

    /// <summary>Shows clients a certificate, ECDSA on P-256 (RFC 7252 section 9.1.3.3).</summary>
    /// <param name="certificateFile">
    /// PEM: the certificate first, then the authorities between it and a root, if any; or PFX (PKCS #12).
    /// </param>
    /// <param name="keyFile">The private key in PEM; null if the file of the certificate contains it.</param>
    /// <param name="password">The password of the PFX file or of the encrypted PEM key; null for none.</param>
    /// <returns>These keys.</returns>
    /// <remarks>
    /// If a file changes while the server runs, new handshakes use the new certificate, unless a file has an error, which the server logs.
    /// Open sessions go on.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="certificateFile"/> is empty.</exception>
    public CoapServerKeys UseCertificate(string certificateFile, string? keyFile = null, string? password = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(certificateFile);
        (_files.Certificate, _files.Key, _files.Password) = (certificateFile, keyFile, password);
        return this;
    }

    /// <summary>Refuses clients without a certificate of trusted authorities; goes with <see cref="UseCertificate"/>.</summary>
    /// <param name="authorityFile">PEM with the certificates of the authorities.</param>
    /// <param name="revocationFile">Their revocation lists (RFC 5280 section 5), in PEM or DER; null for none.</param>
    /// <returns>These keys.</returns>
    /// <remarks>
    /// Does not apply to clients with pre-shared keys. If a file changes while the server runs, the new contents apply, and sessions whose
    /// certificates they revoke end.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="authorityFile"/> is empty.</exception>
    public CoapServerKeys RequireClientCertificates(string authorityFile, string? revocationFile = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(authorityFile);
        (_files.Authorities, _files.Crl, _files.ClientCertificates) = (authorityFile, revocationFile, CoapClientCertificateMode.Required);
        return this;
    }

    /// <summary>Reads the files, and adds the keys to the options of an endpoint.</summary>
    /// <param name="before">The options of the endpoint so far; null for none.</param>
    /// <returns>The options.</returns>
    /// <exception cref="CoapCredentialException">A key is missing or not valid.</exception>
    internal CoapDtlsOptions AddTo(CoapDtlsOptions? before)
    {
        bool hasKeys = _own.Count > 0 || _files.PskFile is not null;
        if (_store is not null && hasKeys)
        {
            throw new CoapCredentialException(
                $"{Name}: UsePsk with a function or a store finds all pre-shared keys, and there are others. Leave UsePskFile and the keys "
                    + "of UsePsk out.");
        }

        if (_store is null && !hasKeys && _files.Certificate is null)
        {
            throw new CoapCredentialException(
                $"{MissingTransportMessage.NoKeys} Call UsePsk or UsePskFile for pre-shared keys, or UseCertificate for a certificate.");
        }

        CoapDtlsOptions loaded = DtlsOptionsLoader.Load(_files, Name, out string? problem, _watched, _own, _store)
            ?? throw new CoapCredentialException(problem!);
        if (loaded.Server!.PskStore is PskFileStore file)
        {
            file.IsOnlyStore = true;
        }

        if (before is null)
        {
            return loaded;
        }

        CoapDtlsOptions all = before.Clone();
        (all.Server, all.Client) = (loaded.Server, before.Client ?? loaded.Client);
        return all;
    }

    /// <summary>Watches the files while a server runs, and overwrites the keys when it has ended.</summary>
    /// <param name="server">The server.</param>
    internal async Task FollowAsync(CoapServer server)
    {
        CoapEndpoint endpoint = server.Endpoint;
        await server.Started.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (server.Started.IsCompletedSuccessfully && _watched.Count > 0)
        {
            string title = endpoint.Name is { } name ? $"The CoAP server '{name}'" : "The CoAP server";
            CredentialFileMonitor watch = new(_watched, endpoint, title, endpoint.TimeProvider);
            await using (watch.ConfigureAwait(false))
            {
                await endpoint.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        await endpoint.Completion.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _own.Wipe();
        _watched.OfType<PskFileStore>().FirstOrDefault()?.Wipe();
    }

    private sealed class DelegatePskStore(Func<string, CancellationToken, ValueTask<ReadOnlyMemory<byte>>> findKey) : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            findKey(identity, cancellationToken);
    }
}
