using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Security.Cryptography;

namespace CoAP.NET.Cryptography;

/// <summary>AES-CCM (RFC 3610) over a cipher of single blocks. The time it takes depends on lengths only.</summary>
internal static class AesCcmMode<TBlocks>
    where TBlocks : IAesBlocks
{
    private const int BlockLength = 16;

    // From this length on, the length field of the additional data takes six bytes in place of two.
    private const int LongData = 0xff00;

    /// <summary>Encrypts and computes the tag.</summary>
    /// <param name="blocks">The cipher with a key.</param>
    /// <param name="nonce">7 to 13 bytes, never the same twice under one key.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="plaintext">The plaintext; short enough for the counter that the nonce leaves.</param>
    /// <param name="ciphertext">As long as the plaintext; the same bytes, or without overlap.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    public static void Encrypt(
        ref TBlocks blocks, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext,
        Span<byte> tag)
    {
        Vector128<byte> start = StartOf(nonce);
        Vector128<byte> mac = Authenticate(ref blocks, start, data, plaintext, tag.Length);
        Crypt(ref blocks, start, plaintext, ciphertext);
        Finish(ref blocks, start, mac, tag);
    }

    /// <summary>Decrypts, and returns whether the message is authentic.</summary>
    /// <param name="blocks">The cipher with a key.</param>
    /// <param name="nonce">7 to 13 bytes.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="ciphertext">The ciphertext.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    /// <param name="plaintext">As long as the ciphertext; the same bytes, or without overlap. Zeros if the message is not
    /// authentic.</param>
    public static bool TryDecrypt(
        ref TBlocks blocks, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag,
        Span<byte> plaintext)
    {
        Vector128<byte> start = StartOf(nonce);
        Crypt(ref blocks, start, ciphertext, plaintext);
        Vector128<byte> mac = Authenticate(ref blocks, start, data, plaintext, tag.Length);
        Span<byte> expected = stackalloc byte[BlockLength];
        expected = expected[..tag.Length];
        Finish(ref blocks, start, mac, expected);
        if (CryptographicOperations.FixedTimeEquals(expected, tag))
        {
            return true;
        }

        plaintext.Clear();
        return false;
    }

    // The first counter block: flags with the size of numbers, nonce, and the number 0.
    private static Vector128<byte> StartOf(ReadOnlySpan<byte> nonce)
    {
        Vector128<byte> block = default;
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<Vector128<byte>>(ref block));
        bytes[0] = (byte)(BlockLength - 2 - nonce.Length);
        nonce.CopyTo(bytes[1..]);
        return block;
    }

    // A number in the last four bytes. With a nonce of 13 bytes two bytes remain for it, and its upper two are zero.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> Number(uint number) =>
        Vector128.Create(0, 0, 0, BitConverter.IsLittleEndian ? BinaryPrimitives.ReverseEndianness(number) : number).AsByte();

    private static void Crypt(ref TBlocks blocks, Vector128<byte> start, ReadOnlySpan<byte> source, Span<byte> destination)
    {
        for (uint counter = 1; !source.IsEmpty; counter++)
        {
            Vector128<byte> stream = blocks.Encrypt(start ^ Number(counter));
            if (source.Length < BlockLength)
            {
                Xor(source, stream, destination);
                return;
            }

            (Vector128.Create(source) ^ stream).CopyTo(destination);
            source = source[BlockLength..];
            destination = destination[BlockLength..];
        }
    }

    private static Vector128<byte> Authenticate(
        ref TBlocks blocks, Vector128<byte> start, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, int tagLength)
    {
        byte flags = (byte)((data.IsEmpty ? 0 : 0x40) | (((tagLength - 2) / 2) << 3));
        Vector128<byte> mac = blocks.Encrypt(start ^ Vector128.CreateScalar(flags) ^ Number((uint)plaintext.Length));
        if (!data.IsEmpty)
        {
            Span<byte> first = stackalloc byte[BlockLength];
            first.Clear();
            int head = sizeof(ushort);
            if (data.Length < LongData)
            {
                BinaryPrimitives.WriteUInt16BigEndian(first, (ushort)data.Length);
            }
            else
            {
                BinaryPrimitives.WriteUInt16BigEndian(first, 0xfffe);
                BinaryPrimitives.WriteUInt32BigEndian(first[head..], (uint)data.Length);
                head += sizeof(uint);
            }

            int length = Math.Min(data.Length, BlockLength - head);
            data[..length].CopyTo(first[head..]);
            mac = blocks.Encrypt(mac ^ Vector128.Create<byte>(first));
            mac = Chain(ref blocks, mac, data[length..]);
        }

        return Chain(ref blocks, mac, plaintext);
    }

    private static Vector128<byte> Chain(ref TBlocks blocks, Vector128<byte> mac, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= BlockLength; bytes = bytes[BlockLength..])
        {
            mac = blocks.Encrypt(mac ^ Vector128.Create(bytes));
        }

        return bytes.IsEmpty ? mac : blocks.Encrypt(mac ^ Load(bytes));
    }

    private static void Finish(ref TBlocks blocks, Vector128<byte> start, Vector128<byte> mac, Span<byte> tag)
    {
        Vector128<byte> whole = mac ^ blocks.Encrypt(start);
        MemoryMarshal.AsBytes(new ReadOnlySpan<Vector128<byte>>(in whole))[..tag.Length].CopyTo(tag);
    }

    // The last bytes, padded with zeros.
    private static Vector128<byte> Load(ReadOnlySpan<byte> bytes)
    {
        Vector128<byte> block = default;
        bytes.CopyTo(MemoryMarshal.AsBytes(new Span<Vector128<byte>>(ref block)));
        return block;
    }

    private static void Xor(ReadOnlySpan<byte> source, Vector128<byte> stream, Span<byte> destination)
    {
        Vector128<byte> result = Load(source) ^ stream;
        MemoryMarshal.AsBytes(new ReadOnlySpan<Vector128<byte>>(in result))[..source.Length].CopyTo(destination);
    }
}
