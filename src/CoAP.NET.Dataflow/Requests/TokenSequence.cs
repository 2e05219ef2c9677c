using System.Buffers.Binary;
using System.Numerics;

namespace CoAP.NET.Requests;

/// <summary>
/// The tokens for one peer: a keyed permutation of a counter. They are unpredictable (RFC 7252 section 5.3.1) and never repeat under one
/// key (RFC 9175 section 4.2). Four bytes long; eight when all of those were used. Not thread-safe: guarded by Shard.Gate.
/// </summary>
internal struct TokenSequence
{
    /// <summary>
    /// The length of the tokens of group requests. Other tokens never have it, so a member's answer cannot match a request to that member
    /// alone.
    /// </summary>
    public const int GroupLength = 6;

    private const int Rounds = 6;

    private readonly ulong _key0;
    private readonly ulong _key1;
    private ulong _counter;

    public TokenSequence(CoapRandomSource random, ulong start = 0)
    {
        _key0 = random.NextUInt64();
        _key1 = random.NextUInt64();
        _counter = start;
    }

    public CoapToken Next()
    {
        ulong counter = _counter++;
        Span<byte> bytes = stackalloc byte[8];
        if (counter <= uint.MaxValue)
        {
            BinaryPrimitives.WriteUInt32BigEndian(bytes, (uint)Permute(counter, 16));
            return new CoapToken(bytes[..4]);
        }

        BinaryPrimitives.WriteUInt64BigEndian(bytes, Permute(counter, 32));
        return new CoapToken(bytes);
    }

    /// <summary>Returns the next token for a group request. Do not mix it with <see cref="Next"/> in one sequence.</summary>
    public CoapToken NextForGroup()
    {
        Span<byte> bytes = stackalloc byte[8];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, Permute(_counter++, GroupLength * 8 / 2));
        return new CoapToken(bytes[^GroupLength..]);
    }

    /// <summary>Returns a token of more than 8 bytes (RFC 8974); its first 8 never repeat.</summary>
    public CoapToken NextLong(int length)
    {
        ulong counter = _counter++;
        byte[] bytes = new byte[(length + 7) & ~7];
        for (int at = 0; at < bytes.Length; at += 8)
        {
            BinaryPrimitives.WriteUInt64BigEndian(bytes.AsSpan(at), Permute(counter ^ ((ulong)at << 40), 32));
        }

        return new CoapToken(bytes.AsSpan(0, length));
    }

    // A Feistel network is a permutation for any round function; the key makes it a secret one.
    private readonly ulong Permute(ulong value, int halfBits)
    {
        uint mask = halfBits == 32 ? uint.MaxValue : (1u << halfBits) - 1;
        uint left = (uint)(value >> halfBits) & mask;
        uint right = (uint)value & mask;
        for (int round = 0; round < Rounds; round++)
        {
            ulong high = Math.BigMul(_key0 ^ right, (_key1 + ((ulong)(uint)round * 0x9e37_79b9_7f4a_7c15)) | 1, out ulong low);
            uint mixed = (uint)BitOperations.RotateLeft(high ^ low, 29 + round) & mask;
            (left, right) = (right, left ^ mixed);
        }

        return ((ulong)left << halfBits) | right;
    }
}
