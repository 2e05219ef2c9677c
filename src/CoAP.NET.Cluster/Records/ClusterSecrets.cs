using System.Security.Cryptography;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Records;

/// <summary>The secrets of a node: the current one, and while it is being replaced the previous one.</summary>
internal static class ClusterSecrets
{
    /// <summary>The maximum number of secrets.</summary>
    public const int MaxCount = 2;

    /// <summary>Derives a key from each secret, for the same purpose.</summary>
    /// <param name="secrets">The secrets.</param>
    /// <param name="purpose">The purpose. Keys of different purposes are independent.</param>
    /// <returns>Keys of 32 bytes, in the order of the secrets. The caller wipes them.</returns>
    public static byte[][] DeriveKeys(IReadOnlyList<ReadOnlyMemory<byte>> secrets, string purpose) =>
        [.. secrets.Select(secret => DeriveKey(secret.Span, System.Text.Encoding.UTF8.GetBytes($"CoAP.NET cluster {purpose} 1")))];

    /// <summary>Returns the fault of secrets; null for none.</summary>
    public static string? FindFault(IReadOnlyList<ReadOnlyMemory<byte>>? secrets)
    {
        if (secrets is null or { Count: 0 or > MaxCount })
        {
            return (secrets is { Count: > MaxCount }
                ? $"The cluster has {secrets.Count} secrets, but can have only the current and the previous one. "
                : "The cluster has no secret. Set CoapClusterOptions.Secrets or, in configuration, Coap:Cluster:SecretFile. ") + Advice;
        }

        foreach (ReadOnlyMemory<byte> secret in secrets)
        {
            if (secret.Length != CoapSealedClusterStore.SecretLength)
            {
                return $"A secret of a cluster (CoapClusterOptions.Secrets) must have {CoapSealedClusterStore.SecretLength} bytes, but has "
                    + $"{secret.Length}. " + Advice;
            }

            if (secret.Span.IndexOfAnyExcept((byte)0) < 0)
            {
                return "A secret of the cluster (CoapClusterOptions.Secrets) is all zeros. Create one with "
                    + "CoapSealedClusterStore.NewSecret().";
            }
        }

        return secrets.Count == MaxCount && secrets[0].Span.SequenceEqual(secrets[1].Span)
            ? "The current and the previous secret of the cluster (CoapClusterOptions.Secrets) are the same. Remove one of them."
            : null;
    }

    private static string Advice =>
        $"Create one with 'openssl rand -base64 {CoapSealedClusterStore.SecretLength}' or CoapSealedClusterStore.NewSecret(), store it "
        + "with your keys, and give the same one to every node and after every restart.";

    private static byte[] DeriveKey(ReadOnlySpan<byte> secret, ReadOnlySpan<byte> info)
    {
        byte[] key = new byte[CoapSealedClusterStore.SecretLength];
        HKDF.DeriveKey(HashAlgorithmName.SHA256, secret, key, default, info);
        return key;
    }
}
