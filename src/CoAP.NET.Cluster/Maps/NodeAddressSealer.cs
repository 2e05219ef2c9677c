using System.Buffers.Text;
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Maps;

/// <summary>
/// Authenticates the nodes of a map: each one adds its newest record format to its address, and an HMAC-SHA-256 over its id and all of that
/// for each of its secrets. A node without the secret of the cluster cannot do that. Thread-safe.
/// </summary>
/// <remarks>
/// The text is the address, '#', the format in decimal, '#', and the seals. After the format a later version may add what this one ignores,
/// from the first character that is not a digit on.
/// </remarks>
internal sealed class NodeAddressSealer : IDisposable
{
    /// <summary>The maximum length of an address without seals.</summary>
    public const int MaxAddressLength = CoapClusterNode.MaxAddressLength - 2 - MaxTold - (ClusterSecrets.MaxCount * SealLength);

    private const char Separator = '#';

    // The format, and room for what a later version adds.
    private const int MaxTold = 16;
    private const int IdLength = 16;

    // Truncated, as RFC 2104 section 5 allows.
    private const int MacLength = 16;

    // In Base64url.
    private const int SealLength = 22;

    private readonly byte[][] _keys;
    private readonly byte _format;
    private readonly Lock _gate = new();
    private bool _isDisposed;

    /// <summary>Creates the seals of a node.</summary>
    /// <param name="secrets">The current secret, and possibly the previous one. They are not kept.</param>
    /// <param name="format">The newest record format that the node reads.</param>
    public NodeAddressSealer(IReadOnlyList<ReadOnlyMemory<byte>> secrets, byte format = RecordFormat.Newest)
    {
        _keys = ClusterSecrets.DeriveKeys(secrets, "nodes");
        _format = format;
    }

    /// <summary>Returns the address of a node without the seals.</summary>
    public static string AddressOf(CoapClusterNode node) =>
        TrySplit(node.Address, out int told, out _) ? node.Address[..told] : node.Address;

    /// <summary>Adds the seals to the address of a node.</summary>
    /// <exception cref="ArgumentException">The address is longer than <see cref="MaxAddressLength"/>.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public CoapClusterNode Seal(CoapClusterNode node)
    {
        string told = string.Create(CultureInfo.InvariantCulture, $"{node.Address}{Separator}{_format}");
        StringBuilder text = new(told);
        text.Append(Separator);
        foreach (byte[] key in _keys)
        {
            text.Append(SealOf(key, node.Id, told));
        }

        return node with { Address = text.ToString() };
    }

    /// <summary>Verifies the seals of a node, and removes them.</summary>
    /// <param name="node">The node, as the store returned it.</param>
    /// <param name="hasCurrent">Whether it has the current secret of this node.</param>
    /// <param name="format">The newest record format that it reads.</param>
    /// <returns>The node; null if it has none of the secrets.</returns>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public CoapClusterNode? TryOpen(CoapClusterNode node, out bool hasCurrent, out byte format)
    {
        hasCurrent = false;
        format = 0;
        if (!TrySplit(node.Address, out int told, out int end))
        {
            return null;
        }

        ReadOnlySpan<char> number = node.Address.AsSpan(told + 1, end - told - 1);
        int rest = number.IndexOfAnyExceptInRange('0', '9');
        if (!byte.TryParse(rest < 0 ? number : number[..rest], NumberStyles.None, CultureInfo.InvariantCulture, out format))
        {
            return null;
        }

        string seals = node.Address[(end + 1)..];
        bool isKnown = false;
        for (int i = 0; i < _keys.Length; i++)
        {
            byte[] expected = Encoding.UTF8.GetBytes(SealOf(_keys[i], node.Id, node.Address[..end]));
            for (int at = 0; at + SealLength <= seals.Length; at += SealLength)
            {
                if (CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(seals[at..(at + SealLength)])))
                {
                    isKnown = true;
                    hasCurrent |= i == 0;
                }
            }
        }

        return isKnown ? node with { Address = node.Address[..told] } : null;
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            Array.ForEach(_keys, static key => CryptographicOperations.ZeroMemory(key));
        }
    }

    // Where the separators before the format and before the seals are. An address may have some of its own.
    private static bool TrySplit(string text, out int told, out int end)
    {
        end = text.LastIndexOf(Separator);
        told = end > 0 ? text.LastIndexOf(Separator, end - 1) : -1;
        return told >= 0;
    }

    private string SealOf(byte[] key, CoapNodeId id, string told)
    {
        byte[] input = new byte[IdLength + Encoding.UTF8.GetByteCount(told)];
        id.Value.TryWriteBytes(input);
        Encoding.UTF8.GetBytes(told, input.AsSpan(IdLength));
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
