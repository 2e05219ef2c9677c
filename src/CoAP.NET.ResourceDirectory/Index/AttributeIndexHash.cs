using System.Buffers.Binary;
using System.Numerics;

namespace CoAP.NET.ResourceDirectory.Index;

/// <summary>SipHash-1-3 with a random key: strangers choose the values in the index and must not be able to cause collisions.</summary>
internal readonly struct AttributeIndexHash(ulong key0, ulong key1)
{
    /// <summary>The hash of a name, in lower case, and a value.</summary>
    public ulong Of(ReadOnlySpan<byte> name, ReadOnlySpan<byte> value) => Of(value, SeedOf(name));

    /// <summary>Returns the seed for values after a name.</summary>
    /// <param name="name">The name of an attribute, case-insensitive.</param>
    public ulong SeedOf(ReadOnlySpan<byte> name)
    {
        Span<byte> lower = stackalloc byte[32];
        if (name.Length > lower.Length)
        {
            return 0;
        }

        for (int i = 0; i < name.Length; i++)
        {
            lower[i] = (byte)(name[i] is >= (byte)'A' and <= (byte)'Z' ? name[i] | 0x20 : name[i]);
        }

        return Of(lower[..name.Length], 0);
    }

    /// <summary>The hash of bytes.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="seed">The hash of the preceding text.</param>
    public ulong Of(ReadOnlySpan<byte> bytes, ulong seed)
    {
        ulong v0 = key0 ^ 0x736f_6d65_7073_6575;
        ulong v1 = key1 ^ 0x646f_7261_6e64_6f6d ^ seed;
        ulong v2 = key0 ^ 0x6c79_6765_6e65_7261;
        ulong v3 = key1 ^ 0x7465_6462_7974_6573;
        ulong last = (ulong)bytes.Length << 56;
        for (; bytes.Length >= 8; bytes = bytes[8..])
        {
            ulong word = BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            v3 ^= word;
            Round(ref v0, ref v1, ref v2, ref v3);
            v0 ^= word;
        }

        for (int i = 0; i < bytes.Length; i++)
        {
            last |= (ulong)bytes[i] << (8 * i);
        }

        v3 ^= last;
        Round(ref v0, ref v1, ref v2, ref v3);
        v0 ^= last;
        v2 ^= 0xff;
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        Round(ref v0, ref v1, ref v2, ref v3);
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static void Round(ref ulong v0, ref ulong v1, ref ulong v2, ref ulong v3)
    {
        unchecked
        {
            v0 += v1;
            v1 = BitOperations.RotateLeft(v1, 13) ^ v0;
            v0 = BitOperations.RotateLeft(v0, 32);
            v2 += v3;
            v3 = BitOperations.RotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = BitOperations.RotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = BitOperations.RotateLeft(v1, 17) ^ v2;
            v2 = BitOperations.RotateLeft(v2, 32);
        }
    }
}
