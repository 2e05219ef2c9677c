namespace CoAP.NET.Dtls;

/// <summary>
/// A file in which the sessions of a server outlive a restart: the server writes it when it stops, encrypted (AES-GCM), and takes it when
/// it starts, so that it is gone: no session lives twice, and of several servers that start at once one gets it. Clients notice nothing but
/// the time in between. Where a server ends without a stop there is no file, and clients make new sessions by themselves.
/// </summary>
public sealed class CoapDtlsSessionFile
{
    /// <summary>Names a file.</summary>
    /// <param name="path">Its path. The file is made readable for its owner only, in place of whatever is there; a link there is replaced
    /// and never followed.</param>
    /// <param name="key">Encrypts it: 16, 24 or 32 bytes, the same before and after the restart. Copied. Whoever has key and file can read
    /// what is said in the sessions: keep the key elsewhere.</param>
    /// <exception cref="ArgumentException">The path is empty, or the key has another length.</exception>
    public CoapDtlsSessionFile(string path, ReadOnlySpan<byte> key)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        CoapDtlsSessionKeeping.ThrowIfNoKey(key);
        Path = path;
        Key = key.ToArray();
    }

    /// <summary>The path of the file.</summary>
    public string Path { get; }

    internal byte[] Key { get; }

    /// <summary>
    /// Reads a file and deletes it. Of several that do so at once, one gets it: sessions that live twice would use their numbers twice.
    /// </summary>
    /// <param name="path">The file.</param>
    /// <returns>What it held.</returns>
    /// <exception cref="FileNotFoundException">There is none, or another one was quicker.</exception>
    /// <exception cref="IOException">It cannot be read; it is gone nevertheless.</exception>
    internal static byte[] Take(string path)
    {
        // Only one can give it another name, and nobody else looks for that.
        string taken = $"{path}.{Guid.NewGuid():N}";
        File.Move(path, taken);
        try
        {
            OwnerFile.ThrowIfLink(taken);
            return File.ReadAllBytes(taken);
        }
        finally
        {
            File.Delete(taken);
        }
    }
}
