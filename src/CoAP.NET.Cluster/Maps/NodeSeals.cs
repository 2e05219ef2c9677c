using System.Buffers.Text;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.Cluster;

/// <summary>
/// Authenticates the nodes of a map: each one adds an HMAC-SHA-256 over its id and address to its address, for each of its secrets. A node
/// without the secret of the cluster cannot do that. Thread-safe.
/// </summary>
internal sealed class NodeSeals : IDisposable
{
    /// <summary>The maximum length of an address without seals.</summary>
    public const int MaxAddressLength = CoapClusterNode.MaxAddressLength - 1 - (ClusterSecrets.MaxCount * SealLength);

    private const char Separator = '#';
    private const int IdLength = 16;

    // Truncated, as RFC 2104 section 5 allows.
    private const int MacLength = 16;

    // In Base64url.
    private const int SealLength = 22;

    private readonly byte[][] _keys;
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Creates the seals of a node.</summary>
    /// <param name="secrets">The current secret, and possibly the previous one. They are not kept.</param>
    public NodeSeals(IReadOnlyList<ReadOnlyMemory<byte>> secrets) => _keys = ClusterSecrets.DeriveKeys(secrets, "nodes");

    /// <summary>Returns the address of a node without the seals.</summary>
    /// <param name="node">The node, as the store returned it.</param>
    public static string AddressOf(CoapClusterNode node) =>
        node.Address.LastIndexOf(Separator) is >= 0 and var end ? node.Address[..end] : node.Address;

    /// <summary>Adds the seals to the address of a node.</summary>
    /// <param name="node">The node.</param>
    /// <exception cref="ArgumentException">The address is longer than <see cref="MaxAddressLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public CoapClusterNode Seal(CoapClusterNode node)
    {
        StringBuilder text = new(node.Address);
        text.Append(Separator);
        foreach (byte[] key in _keys)
        {
            text.Append(SealOf(key, node));
        }

        return node with { Address = text.ToString() };
    }

    /// <summary>Verifies the seals of a node, and removes them.</summary>
    /// <param name="node">The node, as the store returned it.</param>
    /// <param name="hasCurrent">Whether it has the current secret of this node.</param>
    /// <returns>The node; null if it has none of the secrets.</returns>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public CoapClusterNode? TryOpen(CoapClusterNode node, out bool hasCurrent)
    {
        hasCurrent = false;
        int end = node.Address.LastIndexOf(Separator);
        if (end < 0)
        {
            return null;
        }

        string seals = node.Address[(end + 1)..];
        CoapClusterNode opened = node with { Address = AddressOf(node) };
        bool isKnown = false;
        for (int i = 0; i < _keys.Length; i++)
        {
            byte[] expected = Encoding.UTF8.GetBytes(SealOf(_keys[i], opened));
            for (int at = 0; at + SealLength <= seals.Length; at += SealLength)
            {
                if (CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(seals[at..(at + SealLength)])))
                {
                    isKnown = true;
                    hasCurrent |= i == 0;
                }
            }
        }

        return isKnown ? opened : null;
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            Array.ForEach(_keys, static key => CryptographicOperations.ZeroMemory(key));
        }
    }

    private string SealOf(byte[] key, CoapClusterNode node)
    {
        byte[] input = new byte[IdLength + Encoding.UTF8.GetByteCount(node.Address)];
        node.Id.Value.TryWriteBytes(input);
        Encoding.UTF8.GetBytes(node.Address, input.AsSpan(IdLength));
        Span<byte> mac = stackalloc byte[HMACSHA256.HashSizeInBytes];
        lock (_gate)
        {
            // Zeros must never become a key.
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            HMACSHA256.HashData(key, input, mac);
        }

        return Base64Url.EncodeToString(mac[..MacLength]);
    }
}
