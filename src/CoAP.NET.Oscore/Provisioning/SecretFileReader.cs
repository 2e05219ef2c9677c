using System.Security.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>Reads files with secrets: as a whole up to a limit, and wipes the bytes after parsing.</summary>
internal static class SecretFileReader
{
    /// <summary>Parses the bytes of a file.</summary>
    /// <param name="bytes">The bytes; wiped afterwards.</param>
    /// <param name="path">The file.</param>
    public delegate T Parser<out T>(ReadOnlySpan<byte> bytes, string path);

    /// <summary>Reads a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxLength">Maximum length in bytes.</param>
    /// <param name="parse">Parses the content.</param>
    /// <exception cref="CoapCredentialException">The file is not readable, or is larger.</exception>
    public static T Read<T>(string path, int maxLength, Parser<T> parse)
    {
        byte[] bytes = [];
        try
        {
            using (FileStream file = new(path, new FileStreamOptions { BufferSize = 0, Share = FileShare.ReadWrite }))
            {
                if (file.Length > maxLength)
                {
                    throw new CoapCredentialException(path, 0,
                        $"The file has {file.Length:N0} bytes; one of security contexts has at most {maxLength:N0}.");
                }

                // A special file reports no length.
                bytes = GC.AllocateUninitializedArray<byte>(file.Length > 0 ? (int)file.Length : maxLength, pinned: true);
                int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
                return parse(bytes.AsSpan(0, length), path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new CoapCredentialException(path, 0, $"The file of security contexts is not readable: {exception.Message}", exception);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
        }
    }
}
