using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Security.Cryptography;
using Aes = System.Runtime.Intrinsics.X86.Aes;

namespace CoAP.NET.Oscore;

/// <summary>
/// AES-CCM (RFC 3610) with keys of 128 bits, by the AES instructions of x86 processors. They take constant time for any key and data, and
/// no table look-up depends on a secret. The platform's class takes ten times as long for messages as small as those of CoAP, because it
/// creates a native object for each.
/// </summary>
/// <remarks>It keeps no state: it derives the round keys for each message and wipes them afterwards.</remarks>
internal static class ProcessorAesCcm
{
    /// <summary>The length of a key in bytes.</summary>
    public const int KeyLength = 16;

    private const int BlockLength = 16;

    // From this length on, the length field of the additional data takes six bytes in place of two.
    private const int LongData = 0xff00;

    /// <summary>Whether the processor has the instructions.</summary>
    public static bool IsSupported => Aes.IsSupported;

    /// <summary>Encrypts and computes the tag.</summary>
    /// <param name="key">The key, 16 bytes.</param>
    /// <param name="nonce">7 to 13 bytes, never the same twice under one key.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="plaintext">The plaintext; short enough for the counter that the nonce leaves.</param>
    /// <param name="ciphertext">As long as the plaintext; must not overlap it.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    public static void Encrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, Span<byte> ciphertext,
        Span<byte> tag)
    {
        Schedule keys = new(Vector128.Create(key));
        Vector128<byte> mac = Authenticate(in keys, nonce, data, plaintext, tag.Length);
        Crypt(in keys, nonce, plaintext, ciphertext);
        Finish(in keys, nonce, mac, tag);
        Wipe(ref keys);
    }

    /// <summary>Decrypts, and returns whether the message is authentic.</summary>
    /// <param name="key">The key, 16 bytes.</param>
    /// <param name="nonce">7 to 13 bytes.</param>
    /// <param name="data">The additional authenticated data.</param>
    /// <param name="ciphertext">The ciphertext.</param>
    /// <param name="tag">4 to 16 bytes, an even number.</param>
    /// <param name="plaintext">As long as the ciphertext; must not overlap it. Zeros if the message is not authentic.</param>
    public static bool TryDecrypt(
        ReadOnlySpan<byte> key, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> ciphertext, ReadOnlySpan<byte> tag,
        Span<byte> plaintext)
    {
        Schedule keys = new(Vector128.Create(key));
        Crypt(in keys, nonce, ciphertext, plaintext);
        Vector128<byte> mac = Authenticate(in keys, nonce, data, plaintext, tag.Length);
        Span<byte> expected = stackalloc byte[BlockLength];
        expected = expected[..tag.Length];
        Finish(in keys, nonce, mac, expected);
        Wipe(ref keys);
        if (CryptographicOperations.FixedTimeEquals(expected, tag))
        {
            return true;
        }

        plaintext.Clear();
        return false;
    }

    // Flags, nonce, and a number: the block number for counters, the length of the plaintext for the first block of the MAC.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> BlockOf(byte flags, ReadOnlySpan<byte> nonce, uint number)
    {
        Unsafe.SkipInit(out Vector128<byte> block);
        Span<byte> bytes = MemoryMarshal.AsBytes(new Span<Vector128<byte>>(ref block));
        bytes.Clear();

        // With a nonce of 13 bytes, two bytes remain for the number, whose upper two are then zero.
        BinaryPrimitives.WriteUInt32BigEndian(bytes[(BlockLength - sizeof(uint))..], number);
        bytes[0] = flags;
        nonce.CopyTo(bytes[1..]);
        return block;
    }

    private static byte SizeOfNumber(ReadOnlySpan<byte> nonce) => (byte)(BlockLength - 2 - nonce.Length);

    private static void Crypt(in Schedule keys, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> source, Span<byte> destination)
    {
        byte flags = SizeOfNumber(nonce);
        for (uint counter = 1; !source.IsEmpty; counter++)
        {
            Vector128<byte> stream = keys.Encrypt(BlockOf(flags, nonce, counter));
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
        in Schedule keys, ReadOnlySpan<byte> nonce, ReadOnlySpan<byte> data, ReadOnlySpan<byte> plaintext, int tagLength)
    {
        byte flags = (byte)((data.IsEmpty ? 0 : 0x40) | (((tagLength - 2) / 2) << 3) | SizeOfNumber(nonce));
        Vector128<byte> mac = keys.Encrypt(BlockOf(flags, nonce, (uint)plaintext.Length));
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
            mac = keys.Encrypt(mac ^ Vector128.Create<byte>(first));
            mac = Chain(in keys, mac, data[length..]);
        }

        return Chain(in keys, mac, plaintext);
    }

    private static Vector128<byte> Chain(in Schedule keys, Vector128<byte> mac, ReadOnlySpan<byte> bytes)
    {
        for (; bytes.Length >= BlockLength; bytes = bytes[BlockLength..])
        {
            mac = keys.Encrypt(mac ^ Vector128.Create(bytes));
        }

        return bytes.IsEmpty ? mac : keys.Encrypt(mac ^ Load(bytes));
    }

    private static void Finish(in Schedule keys, ReadOnlySpan<byte> nonce, Vector128<byte> mac, Span<byte> tag)
    {
        Vector128<byte> whole = mac ^ keys.Encrypt(BlockOf(SizeOfNumber(nonce), nonce, 0));
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

    private static void Wipe(ref Schedule keys) =>
        CryptographicOperations.ZeroMemory(MemoryMarshal.AsBytes(new Span<Schedule>(ref keys)));

    /// <summary>The round keys (FIPS 197 section 5.2).</summary>
    private readonly struct Schedule
    {
        private readonly Vector128<byte> _k0;
        private readonly Vector128<byte> _k1;
        private readonly Vector128<byte> _k2;
        private readonly Vector128<byte> _k3;
        private readonly Vector128<byte> _k4;
        private readonly Vector128<byte> _k5;
        private readonly Vector128<byte> _k6;
        private readonly Vector128<byte> _k7;
        private readonly Vector128<byte> _k8;
        private readonly Vector128<byte> _k9;
        private readonly Vector128<byte> _k10;

        public Schedule(Vector128<byte> key)
        {
            _k0 = key;
            _k1 = Next(_k0, Aes.KeygenAssist(_k0, 0x01));
            _k2 = Next(_k1, Aes.KeygenAssist(_k1, 0x02));
            _k3 = Next(_k2, Aes.KeygenAssist(_k2, 0x04));
            _k4 = Next(_k3, Aes.KeygenAssist(_k3, 0x08));
            _k5 = Next(_k4, Aes.KeygenAssist(_k4, 0x10));
            _k6 = Next(_k5, Aes.KeygenAssist(_k5, 0x20));
            _k7 = Next(_k6, Aes.KeygenAssist(_k6, 0x40));
            _k8 = Next(_k7, Aes.KeygenAssist(_k7, 0x80));
            _k9 = Next(_k8, Aes.KeygenAssist(_k8, 0x1b));
            _k10 = Next(_k9, Aes.KeygenAssist(_k9, 0x36));
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        public Vector128<byte> Encrypt(Vector128<byte> block)
        {
            block ^= _k0;
            block = Aes.Encrypt(block, _k1);
            block = Aes.Encrypt(block, _k2);
            block = Aes.Encrypt(block, _k3);
            block = Aes.Encrypt(block, _k4);
            block = Aes.Encrypt(block, _k5);
            block = Aes.Encrypt(block, _k6);
            block = Aes.Encrypt(block, _k7);
            block = Aes.Encrypt(block, _k8);
            block = Aes.Encrypt(block, _k9);
            return Aes.EncryptLast(block, _k10);
        }

        // Each word is the sum of all words before it and of the instruction's result for the last one.
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private static Vector128<byte> Next(Vector128<byte> key, Vector128<byte> assist)
        {
            Vector128<byte> sum = Vector128.Shuffle(assist.AsUInt32(), Vector128.Create(3u)).AsByte();
            key ^= System.Runtime.Intrinsics.X86.Sse2.ShiftLeftLogical128BitLane(key, 4);
            key ^= System.Runtime.Intrinsics.X86.Sse2.ShiftLeftLogical128BitLane(key, 8);
            return key ^ sum;
        }
    }
}
