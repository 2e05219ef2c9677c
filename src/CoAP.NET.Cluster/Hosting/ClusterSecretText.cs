using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Hosting;

namespace CoAP.NET.Cluster;

/// <summary>The secret of a cluster as configuration and files have it: Base64, or <c>0x</c> and hexadecimal digits.</summary>
internal static class ClusterSecretText
{
    private const string HexPrefix = "0x";

    // A file that is longer is another one.
    private const int MaxFileLength = 1024;

    /// <summary>What messages say is allowed; never the secret.</summary>
    public static TextKind<string> Kind { get; } = new(
        $"{CoapSealedClusterStore.SecretLength} random bytes in Base64 (openssl rand -base64 {CoapSealedClusterStore.SecretLength}), or 0x "
        + $"and {2 * CoapSealedClusterStore.SecretLength} hexadecimal digits",
        static text => BytesOf(text) is null ? null : text);

    /// <summary>The bytes of a secret; null for a text that is none.</summary>
    public static byte[]? BytesOf(string text)
    {
        try
        {
            byte[] secret = text.StartsWith(HexPrefix, StringComparison.Ordinal)
                ? Convert.FromHexString(text.AsSpan(HexPrefix.Length)) : Convert.FromBase64String(text);
            return secret.Length == CoapSealedClusterStore.SecretLength ? secret : null;
        }
        catch (FormatException)
        {
            return null;
        }
    }

    /// <summary>Reads the secret of a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="problem">What is wrong with the file, which never shows what is in it; empty where nothing is.</param>
    /// <returns>The secret; null where something is wrong.</returns>
    public static byte[]? Read(string path, out string problem)
    {
        byte[] bytes = [];
        try
        {
            if (!File.Exists(path))
            {
                problem = $"there is no file {Path.GetFullPath(path)}";
                return null;
            }

            using FileStream file = File.OpenRead(path);
            bytes = new byte[Math.Min(file.Length, MaxFileLength)];
            file.ReadExactly(bytes);
            byte[]? secret = BytesOf(Encoding.UTF8.GetString(bytes).Trim());
            problem = secret is null ? $"the file does not hold a secret. It holds {Kind.Allowed}, and nothing else." : "";
            return secret;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            problem = exception.Message;
            return null;
        }
        finally
        {
            CryptographicOperations.ZeroMemory(bytes);
        }
    }
}
