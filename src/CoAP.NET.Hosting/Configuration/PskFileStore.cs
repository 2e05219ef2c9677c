using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>
/// Pre-shared keys of configuration, and of a file that may change while the server runs. If a changed file has an error, the keys stay.
/// Thread-safe.
/// </summary>
/// <param name="path">The file.</param>
/// <param name="ofFile">Its initial keys.</param>
/// <param name="stamp">The state of the file before they were read.</param>
/// <param name="own">The keys of configuration, which do not change.</param>
internal sealed class PskFileStore(string path, CoapPskDictionary ofFile, FileStamp stamp, CoapPskDictionary own) : ICoapPskStore
{
    private CoapPskDictionary _ofFile = ofFile;
    private readonly ChangingFile _file = new(path, stamp);

    /// <summary>The file.</summary>
    public string Path => path;

    /// <summary>Number of keys.</summary>
    public int Count => own.Count + Volatile.Read(ref _ofFile).Count;

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

    /// <summary>
    /// Reloads the file if it has changed. One caller has to call it periodically: it reads a change when two checks see the same state,
    /// because a writer may not be done.
    /// </summary>
    /// <returns>Whether it reloaded the file.</returns>
    /// <exception cref="CoapCredentialException">
    /// The file is not readable, a line of it is wrong, or an identity has a key in configuration. Thrown once for each change; the message
    /// contains no key.
    /// </exception>
    public bool Refresh()
    {
        if (!_file.Look())
        {
            return false;
        }

        CoapPskDictionary keys = CoapPskDictionary.FromFile(path);
        if (own.FirstOrDefault(keys.Contains) is { } twice)
        {
            Empty(keys);
            throw new CoapCredentialException($"{path} has a key for '{twice}', and so has configuration. Leave one of them out.");
        }

        Empty(Interlocked.Exchange(ref _ofFile, keys));
        return true;
    }

    // Removing overwrites keys.
    private static void Empty(CoapPskDictionary keys)
    {
        foreach (string identity in keys)
        {
            keys.Remove(identity);
        }
    }
}
