using System.Buffers.Binary;

namespace CoAP.NET.Cluster.Steering;

/// <summary>
/// The UDP addresses at which a server accepts relays of another node, as sent in an answer: Connection ID, key and addresses.
/// </summary>
/// <param name="Id">The Connection ID of records.</param>
/// <param name="Key">The key of records.</param>
/// <param name="Addresses">The addresses; possibly the wildcard.</param>
internal sealed record RelayPathOffer(ulong Id, byte[] Key, IReadOnlyList<CoapAddress> Addresses)
{
    private const int MaxAddresses = 16;
    private const int FixedLength = RelayRecord.IdLength + RelayRecord.KeyLength;

    public byte[] ToBytes()
    {
        int count = Math.Min(MaxAddresses, Addresses.Count);
        byte[] bytes = new byte[FixedLength + (count * CoapAddress.BinaryLength)];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, Id);
        Key.CopyTo(bytes.AsSpan(RelayRecord.IdLength));
        for (int i = 0; i < count; i++)
        {
            Addresses[i].WriteTo(bytes.AsSpan(FixedLength + (i * CoapAddress.BinaryLength)));
        }

        return bytes;
    }

    /// <summary>Reads an offer; null for invalid bytes.</summary>
    public static RelayPathOffer? TryRead(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < FixedLength || (bytes.Length - FixedLength) % CoapAddress.BinaryLength != 0
            || (bytes.Length - FixedLength) / CoapAddress.BinaryLength > MaxAddresses)
        {
            return null;
        }

        List<CoapAddress> addresses = [];
        for (ReadOnlySpan<byte> rest = bytes[FixedLength..]; !rest.IsEmpty; rest = rest[CoapAddress.BinaryLength..])
        {
            addresses.Add(RelayedDatagram.ReadAddress(rest));
        }

        return new RelayPathOffer(
            BinaryPrimitives.ReadUInt64BigEndian(bytes), bytes.Slice(RelayRecord.IdLength, RelayRecord.KeyLength).ToArray(), addresses);
    }

    /// <summary>Chooses the destination address; null if a server has no socket for any of the addresses.</summary>
    /// <param name="own">The bound addresses of that server.</param>
    /// <param name="node">The address of the node, which replaces the wildcard.</param>
    public CoapAddress? ChooseFor(IReadOnlyList<CoapAddress> own, CoapAddress node)
    {
        foreach (CoapAddress address in Addresses)
        {
            CoapAddress to = address.IsAny ? node with { Port = address.Port } : address;

            // The first socket sends to new destinations.
            if (to.Port > 0 && !to.IsMulticast && own.Count > 0 && (own[0].IsIPv4 == to.IsIPv4 || own[0] is { IsAny: true, IsIPv4: false }))
            {
                return to;
            }
        }

        return null;
    }
}
