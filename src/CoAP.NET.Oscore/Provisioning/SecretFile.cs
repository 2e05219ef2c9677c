using System.Security.Cryptography;

namespace CoAP.NET.Oscore;

/// <summary>Files with secrets: read whole up to a bound, and wiped from memory when they were understood.</summary>
internal static class SecretFile
{
    /// <summary>Takes something out of the bytes of a file.</summary>
    /// <param name="bytes">The bytes; wiped afterwards.</param>
    /// <param name="path">The file.</param>
    public delegate T Parser<out T>(ReadOnlySpan<byte> bytes, string path);

    /// <summary>Reads a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="maxLength">The most bytes that it may have.</param>
    /// <param name="parse">Takes out what is wanted.</param>
    /// <exception cref="OscoreProvisioningException">It cannot be read, or is larger.</exception>
    public static T Read<T>(string path, int maxLength, Parser<T> parse)
    {
        byte[] bytes = [];
        try
        {
            using (FileStream file = new(path, new FileStreamOptions { BufferSize = 0, Share = FileShare.ReadWrite }))
            {
                if (file.Length > maxLength)
                {
                    throw new OscoreProvisioningException(path,
                        $"The file has {file.Length:N0} bytes; one of security contexts has at most {maxLength:N0}.");
                }

                // Something that is no plain file tells no length.
                bytes = GC.AllocateUninitializedArray<byte>(file.Length > 0 ? (int)file.Length : maxLength, pinned: true);
                int length = file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false);
                return parse(bytes.AsSpan(0, length), path);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException)
        {
            throw new OscoreProvisioningException(path, $"The file of security contexts cannot be read: {exception.Message}", exception);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
        }
    }
}
