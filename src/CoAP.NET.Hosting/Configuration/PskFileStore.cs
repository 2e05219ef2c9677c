using CoAP.NET.Dtls;

namespace CoAP.NET.Hosting;

/// <summary>
/// Pre-shared keys of configuration, and of a file that may change while the server runs. What is wrong with a file that has changed leaves
/// all as it was. Thread safe.
/// </summary>
/// <param name="path">The file.</param>
/// <param name="ofFile">What stood in it at first.</param>
/// <param name="stamp">How the file was, before that was read.</param>
/// <param name="own">The keys of configuration, which do not change.</param>
internal sealed class PskFileStore(string path, CoapPskDictionary ofFile, FileStamp stamp, CoapPskDictionary own) : ICoapPskStore
{
    private CoapPskDictionary _ofFile = ofFile;
    private readonly ChangingFile _file = new(path, stamp);

    /// <summary>The file.</summary>
    public string Path => path;

    /// <summary>How many keys there are.</summary>
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

            // It was emptied meanwhile, for another has taken its place.
        }

        return key;
    }

    /// <summary>
    /// Takes the file if it has changed. To be called by one at a time, again and again: what has just changed is read when it is still the
    /// same at the next look, as whoever writes may not be done.
    /// </summary>
    /// <returns>Whether it was taken.</returns>
    /// <exception cref="CoapCredentialException">The file cannot be read, a line of it is wrong, or an identity has a key in configuration.
    /// Told once for each change; the message holds no key.</exception>
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
