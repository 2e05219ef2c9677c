using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Files;
using CoAP.NET.Hosting.Configuration;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>
/// The text format of a cluster's secret in configuration and files: Base64, or <c>0x</c> and hexadecimal digits. The previous secret may
/// follow after white space, such as in the second line.
/// </summary>
internal static class ClusterSecretText
{
    private const string HexPrefix = "0x";

    // A longer file is not a secret.
    private const int MaxFileLength = 1024;

    /// <summary>The allowed format, for messages that never show the secret.</summary>
    public static ConfigurationValueSyntax Syntax { get; } = ConfigurationValueSyntax.Text(
        $"{CoapSealedClusterStore.SecretLength} random bytes in Base64 (openssl rand -base64 {CoapSealedClusterStore.SecretLength}), or 0x "
        + $"and {2 * CoapSealedClusterStore.SecretLength} hexadecimal digits; after white space, possibly the previous secret",
        static text => SecretsOf(text) is null ? null : text);

    /// <summary>Parses a secret, or the current and the previous one; null for an invalid text.</summary>
    public static IReadOnlyList<ReadOnlyMemory<byte>>? SecretsOf(string text)
    {
        byte[]?[] secrets = [.. text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries).Select(BytesOf)];
        return secrets.Length is 1 or ClusterSecrets.MaxCount && !secrets.Contains(null)
            ? [.. secrets.Select(static secret => new ReadOnlyMemory<byte>(secret))]
            : null;
    }

    private static byte[]? BytesOf(string text)
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

    /// <summary>Reads the secrets from a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="problem">The error, without any content of the file; empty for none.</param>
    /// <returns>The secrets; null after an error.</returns>
    public static IReadOnlyList<ReadOnlyMemory<byte>>? Read(string path, out string problem)
    {
        byte[] bytes = [];
        try
        {
            bytes = RegularFile.ReadBytes(path, MaxFileLength);
            IReadOnlyList<ReadOnlyMemory<byte>>? secrets = SecretsOf(Encoding.UTF8.GetString(bytes));
            problem = secrets is null ? $"the file does not contain a secret. It must contain {Syntax.Allowed}, and nothing else." : "";
            return secrets;
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
