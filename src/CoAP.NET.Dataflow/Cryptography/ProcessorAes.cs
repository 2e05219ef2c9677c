using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.Arm;
using System.Security.Cryptography;
using ArmAes = System.Runtime.Intrinsics.Arm.Aes;
using X86Aes = System.Runtime.Intrinsics.X86.Aes;
using X86Sse2 = System.Runtime.Intrinsics.X86.Sse2;

namespace CoAP.NET.Cryptography;

/// <summary>
/// AES with a key of 128 bits (FIPS 197), by the AES instructions of x86 and ARM processors. They take constant time for any key and data,
/// and no table lookup depends on a secret.
/// </summary>
internal struct ProcessorAes : IAesBlocks
{
    /// <summary>The length of a key in bytes.</summary>
    public const int KeyLength = 16;

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

    /// <summary>Derives the round keys (section 5.2).</summary>
    /// <param name="key">The key of 16 bytes.</param>
    public ProcessorAes(ReadOnlySpan<byte> key)
    {
        _k0 = Vector128.Create(key);
        _k1 = Next(_k0, 0x01);
        _k2 = Next(_k1, 0x02);
        _k3 = Next(_k2, 0x04);
        _k4 = Next(_k3, 0x08);
        _k5 = Next(_k4, 0x10);
        _k6 = Next(_k5, 0x20);
        _k7 = Next(_k6, 0x40);
        _k8 = Next(_k7, 0x80);
        _k9 = Next(_k8, 0x1b);
        _k10 = Next(_k9, 0x36);
    }

    public static bool IsSupported => X86Aes.IsSupported || ArmAes.IsSupported;

    /// <inheritdoc/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public readonly Vector128<byte> Encrypt(Vector128<byte> block)
    {
        if (ArmAes.IsSupported)
        {
            // These instructions add the round key first, and mix the columns by one of their own.
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k0));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k1));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k2));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k3));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k4));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k5));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k6));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k7));
            block = ArmAes.MixColumns(ArmAes.Encrypt(block, _k8));
            return ArmAes.Encrypt(block, _k9) ^ _k10;
        }

        block ^= _k0;
        block = X86Aes.Encrypt(block, _k1);
        block = X86Aes.Encrypt(block, _k2);
        block = X86Aes.Encrypt(block, _k3);
        block = X86Aes.Encrypt(block, _k4);
        block = X86Aes.Encrypt(block, _k5);
        block = X86Aes.Encrypt(block, _k6);
        block = X86Aes.Encrypt(block, _k7);
        block = X86Aes.Encrypt(block, _k8);
        block = X86Aes.Encrypt(block, _k9);
        return X86Aes.EncryptLast(block, _k10);
    }

    /// <summary>Wipes the round keys.</summary>
    public void Wipe() => CryptographicOperations.ZeroMemory(MemoryMarshal.AsBytes(new Span<ProcessorAes>(ref this)));

    // Each word is the sum of all words before it and of the substituted last one.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static Vector128<byte> Next(Vector128<byte> key, [ConstantExpected] byte constant)
    {
        Vector128<byte> sum;
        if (ArmAes.IsSupported)
        {
            // With four equal columns the instruction only substitutes: it moves bytes between columns, and the round key is zero.
            Vector128<byte> last = Vector128.Create(key.AsUInt32().GetElement(3)).AsByte();
            uint word = ArmAes.Encrypt(last, Vector128<byte>.Zero).AsUInt32().ToScalar();
            sum = Vector128.Create(BitOperations.RotateRight(word, 8) ^ constant).AsByte();
            key ^= AdvSimd.ExtractVector128(Vector128<byte>.Zero, key, 12);
            key ^= AdvSimd.ExtractVector128(Vector128<byte>.Zero, key, 8);
            return key ^ sum;
        }

        sum = Vector128.Shuffle(X86Aes.KeygenAssist(key, constant).AsUInt32(), Vector128.Create(3u)).AsByte();
        key ^= X86Sse2.ShiftLeftLogical128BitLane(key, 4);
        key ^= X86Sse2.ShiftLeftLogical128BitLane(key, 8);
        return key ^ sum;
    }
}
