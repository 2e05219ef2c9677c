using CoAP.NET.Files;

namespace CoAP.NET.Dtls;

/// <summary>A file in which the sessions of a server survive a restart.</summary>
/// <remarks>
/// The server writes the file when it stops, encrypted (AES-GCM), and removes it when it starts. So no session lives twice, and of several
/// servers that start at once only one gets it. Clients notice only the interruption. A server that ends without a stop leaves no file;
/// clients then open new sessions by themselves.
/// </remarks>
public sealed class CoapDtlsServerSessionFile
{
    private const int MaxLength = 1 << 30;

    /// <summary>Creates the description of a file.</summary>
    /// <param name="path">
    /// Its path. The server makes the file readable for its owner only and replaces an existing one. It also replaces a link there, and
    /// never follows it. A device, a pipe or a socket there is an error.
    /// </param>
    /// <param name="key">
    /// The encryption key: 16, 24 or 32 bytes, the same before and after the restart. Copied. Anyone with key and file can read the traffic
    /// of the sessions: store the key elsewhere.
    /// </param>
    /// <exception cref="ArgumentException">The path is empty, or the key has another length.</exception>
    public CoapDtlsServerSessionFile(string path, ReadOnlySpan<byte> key)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        CoapDtlsSessionBackupOptions.ThrowIfNoKey(key);
        Path = path;
        Key = key.ToArray();
    }

    /// <summary>The path of the file.</summary>
    public string Path { get; }

    internal byte[] Key { get; }

    /// <summary>
    /// Reads a file and deletes it. If several callers do so at once, one gets it: sessions that live twice would use their record numbers
    /// twice.
    /// </summary>
    /// <param name="path">The file.</param>
    /// <returns>Its content.</returns>
    /// <exception cref="FileNotFoundException">There is none, or another caller was quicker.</exception>
    /// <exception cref="IOException">
    /// The file is not readable, and the method has deleted it nevertheless. Or the path is a device, a pipe or a socket, which remains.
    /// </exception>
    internal static byte[] Take(string path)
    {
        FileStatus.ThrowIfSpecial(path);

        // Only one caller can rename the file, and no other looks for the new name.
        string taken = $"{path}.{Guid.NewGuid():N}";
        File.Move(path, taken);
        try
        {
            PrivateFile.ThrowIfLink(taken);
            return RegularFile.ReadBytes(taken, MaxLength);
        }
        finally
        {
            File.Delete(taken);
        }
    }
}
