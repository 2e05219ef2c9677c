using System.Buffers.Binary;

namespace CoAP.NET.Formats;

/// <summary>
/// A fast hash of a datagram's bytes under a secret key, in the manner of wyhash: 16 bytes for one 64-by-64-bit multiplication.
/// It tells a duplicate from a Message ID that came again with other bytes; a peer that does not know the key cannot make two datagrams
/// collide on purpose. The key comes from the injected entropy, so that a run with the same seed gives the same hashes.
/// </summary>
internal readonly struct DeduplicationHash
{
    private readonly ulong _first;
    private readonly ulong _second;

    public DeduplicationHash(CoapRandomSource random)
    {
        _first = random.NextUInt64();
        _second = random.NextUInt64();
    }

    public uint Of(ReadOnlySpan<byte> bytes)
    {
        ulong hash = _first;
        uint length = (uint)bytes.Length;
        while (bytes.Length > 16)
        {
            hash = Mix(BinaryPrimitives.ReadUInt64LittleEndian(bytes) ^ _second,
                BinaryPrimitives.ReadUInt64LittleEndian(bytes[8..]) ^ hash);
            bytes = bytes[16..];
        }

        ulong low;
        ulong high = 0;
        if (bytes.Length >= 8)
        {
            // The two words may overlap, which does no harm: the length is mixed in last, by itself.
            low = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            high = BinaryPrimitives.ReadUInt64LittleEndian(bytes[^8..]);
        }
        else if (bytes.Length >= 4)
        {
            low = BinaryPrimitives.ReadUInt32LittleEndian(bytes) | ((ulong)BinaryPrimitives.ReadUInt32LittleEndian(bytes[^4..]) << 32);
        }
        else
        {
            low = 0;
            foreach (byte b in bytes)
            {
                low = (low << 8) | b;
            }
        }

        hash = Mix(low ^ _second, high ^ hash);
        hash = Mix(hash ^ _first, _second ^ length);
        return (uint)(hash ^ (hash >> 32));
    }

    private static ulong Mix(ulong left, ulong right)
    {
        ulong high = Math.BigMul(left, right, out ulong low);
        return high ^ low;
    }
}
