using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace CoAP.NET.Cryptography;

/// <summary>
/// SHA-256 (FIPS 180-4 section 6.2) in managed code. On Linux the platform's class needs OpenSSL, and .NET ends the process where it is
/// missing. It allocates nothing and takes the same time for all contents of one length.
/// </summary>
/// <remarks>A copy continues independently of the original.</remarks>
internal struct Sha256
{
    /// <summary>The length of a hash in bytes.</summary>
    public const int HashLength = 32;

    /// <summary>The length of a block in bytes.</summary>
    public const int BlockLength = 64;

    private const int Rounds = 64;
    private const int LengthAt = BlockLength - sizeof(ulong);

    private State _state;
    private Block _rest;
    private ulong _length;

    public Sha256()
    {
        _state[0] = 0x6a09e667;
        _state[1] = 0xbb67ae85;
        _state[2] = 0x3c6ef372;
        _state[3] = 0xa54ff53a;
        _state[4] = 0x510e527f;
        _state[5] = 0x9b05688c;
        _state[6] = 0x1f83d9ab;
        _state[7] = 0x5be0cd19;
    }

    // The fractions of the cube roots of the first 64 primes (FIPS 180-4 section 4.2.2).
    private static ReadOnlySpan<uint> K =>
    [
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    ];

    /// <summary>Hashes bytes.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="destination">At least <see cref="HashLength"/> bytes; may overlap the source.</param>
    public static void HashData(ReadOnlySpan<byte> source, Span<byte> destination)
    {
        Sha256 hash = new();
        hash.Append(source);
        hash.Finish(destination);
    }

    /// <summary>Hashes bytes into a new array.</summary>
    /// <param name="source">The bytes.</param>
    public static byte[] HashData(ReadOnlySpan<byte> source)
    {
        byte[] hash = new byte[HashLength];
        HashData(source, hash);
        return hash;
    }

    /// <summary>Adds bytes.</summary>
    /// <param name="source">The bytes.</param>
    public void Append(ReadOnlySpan<byte> source)
    {
        int used = (int)(_length % BlockLength);
        _length += (ulong)source.Length;
        if (used > 0)
        {
            int length = Math.Min(source.Length, BlockLength - used);
            source[..length].CopyTo(((Span<byte>)_rest)[used..]);
            source = source[length..];
            if (used + length < BlockLength)
            {
                return;
            }

            Compress(_rest);
        }

        int whole = source.Length - (source.Length % BlockLength);
        Compress(source[..whole]);
        source[whole..].CopyTo(_rest);
    }

    /// <summary>Completes the hash and wipes this object.</summary>
    /// <param name="destination">At least <see cref="HashLength"/> bytes.</param>
    public void Finish(Span<byte> destination)
    {
        int used = (int)(_length % BlockLength);
        Span<byte> rest = _rest;
        rest[used++] = 0x80;
        rest[used..].Clear();
        if (used > LengthAt)
        {
            Compress(rest);
            rest.Clear();
        }

        BinaryPrimitives.WriteUInt64BigEndian(rest[LengthAt..], _length * 8);
        Compress(rest);
        for (int i = 0; i < HashLength / sizeof(uint); i++)
        {
            BinaryPrimitives.WriteUInt32BigEndian(destination[(i * sizeof(uint))..], _state[i]);
        }

        Wipe();
    }

    /// <summary>Wipes this object, which may hold parts of a secret.</summary>
    public void Wipe() => CryptographicOperations.ZeroMemory(MemoryMarshal.AsBytes(new Span<Sha256>(ref this)));

    private static uint Small(uint word, int first, int second, int shift) =>
        BitOperations.RotateRight(word, first) ^ BitOperations.RotateRight(word, second) ^ (word >> shift);

    // The first sum of a round, for the working variables e to h, and the round's constant and word.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint First(uint e, uint f, uint g, uint h, uint word) =>
        h + word + (g ^ (e & (f ^ g)))
            + (BitOperations.RotateRight(e, 6) ^ BitOperations.RotateRight(e, 11) ^ BitOperations.RotateRight(e, 25));

    // The second one, for a to c.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static uint Second(uint a, uint b, uint c) =>
        ((a & b) | (c & (a | b)))
            + (BitOperations.RotateRight(a, 2) ^ BitOperations.RotateRight(a, 13) ^ BitOperations.RotateRight(a, 22));

    private void Compress(ReadOnlySpan<byte> blocks)
    {
        Span<uint> words = stackalloc uint[Rounds];
        for (; !blocks.IsEmpty; blocks = blocks[BlockLength..])
        {
            for (int i = 0; i < 16; i++)
            {
                words[i] = BinaryPrimitives.ReadUInt32BigEndian(blocks[(i * sizeof(uint))..]);
            }

            for (int i = 16; i < Rounds; i++)
            {
                words[i] = Small(words[i - 2], 17, 19, 10) + words[i - 7] + Small(words[i - 15], 7, 18, 3) + words[i - 16];
            }

            Mix(words);
        }

        // They may be parts of a secret.
        CryptographicOperations.ZeroMemory(MemoryMarshal.AsBytes(words));
    }

    // Eight rounds in each turn: the working variables keep their places, and only their roles change.
    private void Mix(ReadOnlySpan<uint> words)
    {
        (uint a, uint b, uint c, uint d) = (_state[0], _state[1], _state[2], _state[3]);
        (uint e, uint f, uint g, uint h) = (_state[4], _state[5], _state[6], _state[7]);
        ReadOnlySpan<uint> k = K;
        for (int i = 0; i < Rounds; i += 8)
        {
            uint sum = First(e, f, g, h, k[i] + words[i]);
            (d, h) = (d + sum, sum + Second(a, b, c));
            sum = First(d, e, f, g, k[i + 1] + words[i + 1]);
            (c, g) = (c + sum, sum + Second(h, a, b));
            sum = First(c, d, e, f, k[i + 2] + words[i + 2]);
            (b, f) = (b + sum, sum + Second(g, h, a));
            sum = First(b, c, d, e, k[i + 3] + words[i + 3]);
            (a, e) = (a + sum, sum + Second(f, g, h));
            sum = First(a, b, c, d, k[i + 4] + words[i + 4]);
            (h, d) = (h + sum, sum + Second(e, f, g));
            sum = First(h, a, b, c, k[i + 5] + words[i + 5]);
            (g, c) = (g + sum, sum + Second(d, e, f));
            sum = First(g, h, a, b, k[i + 6] + words[i + 6]);
            (f, b) = (f + sum, sum + Second(c, d, e));
            sum = First(f, g, h, a, k[i + 7] + words[i + 7]);
            (e, a) = (e + sum, sum + Second(b, c, d));
        }

        _state[0] += a;
        _state[1] += b;
        _state[2] += c;
        _state[3] += d;
        _state[4] += e;
        _state[5] += f;
        _state[6] += g;
        _state[7] += h;
    }

    [InlineArray(HashLength / sizeof(uint))]
    private struct State
    {
        private uint _word;
    }

    [InlineArray(BlockLength)]
    private struct Block
    {
        private byte _byte;
    }
}
