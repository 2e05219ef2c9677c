using CoAP.NET.Diagnostics;
using CoAP.NET.Files;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Dtls.Files;

/// <summary>
/// Pre-shared keys of configuration or code, and of a file that may change while the server runs. If a changed file has an error, the keys
/// stay. Thread-safe.
/// </summary>
/// <param name="path">The file.</param>
/// <param name="ofFile">Its initial keys.</param>
/// <param name="stamp">The state of the file before they were read.</param>
/// <param name="own">The keys of configuration or code.</param>
internal sealed class PskFileStore(string path, CoapPskDictionary ofFile, FileStamp stamp, CoapPskDictionary own)
    : WatchedCredentials, ICoapPskStore
{
    private CoapPskDictionary _ofFile = ofFile;
    private readonly ChangingFile _file = new(path, stamp);

    // The identities that have been in the file at some time since the start, and are not any more.
    private readonly HashSet<string> _removed = new(StringComparer.Ordinal);

    /// <summary>Number of keys.</summary>
    public int Count => own.Count + Volatile.Read(ref _ofFile).Count;

    /// <summary>
    /// Whether the server finds keys nowhere else, so that an identity without a key here has none. Otherwise only identities that were
    /// removed from the file count as revoked.
    /// </summary>
    public bool IsOnlyStore { get; set; }

    /// <inheritdoc/>
    public async ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> key = await own.FindKeyAsync(identity, cancellationToken).ConfigureAwait(false);
        while (key.IsEmpty)
        {
            CoapPskDictionary file = Volatile.Read(ref _ofFile);
            key = await file.FindKeyAsync(identity, cancellationToken).ConfigureAwait(false);
            if (file == Volatile.Read(ref _ofFile))
            {
                break;
            }

            // Another dictionary replaced it in the meantime, and it is empty now.
        }

        return key;
    }

    /// <inheritdoc/>
    public override ValueTask<bool> RefreshAsync(DateTimeOffset now)
    {
        if (!_file.Look())
        {
            return new ValueTask<bool>(false);
        }

        CoapPskDictionary keys = CoapPskDictionary.FromFile(path);
        if (own.FirstOrDefault(keys.Contains) is { } twice)
        {
            keys.Wipe();
            throw new CoapCredentialException($"{path} has a key for '{twice}', and so has configuration or code. Leave one of them out.");
        }

        CoapPskDictionary before = Interlocked.Exchange(ref _ofFile, keys);
        _removed.UnionWith(before);
        _removed.ExceptWith(keys);
        before.Wipe();
        return new ValueTask<bool>(true);
    }

    /// <inheritdoc/>
    public override bool IsRevoked(CoapPeer peer) => peer.Identity is CoapDtlsPeerIdentity { PskIdentity: { } identity }
        && (_removed.Contains(identity) || (IsOnlyStore && !own.Contains(identity) && !_ofFile.Contains(identity)));

    /// <inheritdoc/>
    public override void LogTaken(ILogger logger, string title, int ended) =>
        CredentialLog.KeysTaken(logger, title, ConfigurationTextFormatter.Of(path), Count, ended);

    /// <inheritdoc/>
    public override void LogNotTaken(ILogger logger, string title, string problem) =>
        CredentialLog.KeysNotTaken(logger, title, CoapUntrustedText.LineOf(problem));

    /// <summary>Overwrites the keys of the file, when the server has ended.</summary>
    public void Wipe() => Volatile.Read(ref _ofFile).Wipe();
}
