using System.Security.Cryptography;
using CoAP.NET.Files;

namespace CoAP.NET.Oscore.Provisioning;

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
            bytes = RegularFile.ReadBytes(path, maxLength);
            return parse(bytes, path);
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
