using System.Buffers.Binary;

namespace CoAP.NET.Serialization;

/// <summary>
/// The 4-bit fields of the message formats and the bytes that extend them. Option deltas and lengths (RFC 7252 section 3.1), token lengths
/// (RFC 8974 section 2.1) and frame lengths (RFC 8323 section 3.2) share one coding:
/// <code>
///   field    extension    value
///   0..12    none         the field
///   13       1 byte       the byte + 13
///   14       2 bytes      the bytes, big-endian, + 269
///   15       4 bytes      the bytes, big-endian, + 65,805: frame lengths only, reserved elsewhere
/// </code>
/// </summary>
internal static class ExtendedField
{
    /// <summary>The field that is reserved in options and token lengths.</summary>
    public const int Reserved = 15;

    /// <summary>The largest value with an extension of two bytes.</summary>
    public const int MaxTwoBytes = 65_804;

    /// <summary>The largest value with an extension of four bytes.</summary>
    public const long MaxFourBytes = 65_805L + uint.MaxValue;

    private const int OneByteBase = 13;
    private const int TwoBytesBase = 269;
    private const int FourBytesBase = 65_805;

    /// <summary>Returns the number of bytes that extend a field.</summary>
    public static int SizeOfExtension(int field) => field switch
    {
        < 13 => 0,
        13 => 1,
        14 => 2,
        _ => 4,
    };

    /// <summary>Returns the number of bytes that extend the field of a value.</summary>
    public static int SizeOfExtensionFor(long value) => SizeOfExtension(FieldFor(value));

    /// <summary>Returns the field of a value.</summary>
    public static int FieldFor(long value) => value switch
    {
        < OneByteBase => (int)value,
        < TwoBytesBase => 13,
        < FourBytesBase => 14,
        _ => 15,
    };

    /// <summary>Returns the value of a field.</summary>
    /// <param name="field">The field.</param>
    /// <param name="extension">At least the bytes that extend it.</param>
    public static long Read(int field, ReadOnlySpan<byte> extension) => field switch
    {
        < 13 => field,
        13 => extension[0] + OneByteBase,
        14 => BinaryPrimitives.ReadUInt16BigEndian(extension) + TwoBytesBase,
        _ => BinaryPrimitives.ReadUInt32BigEndian(extension) + (long)FourBytesBase,
    };

    /// <summary>Writes the bytes that extend the field of a value.</summary>
    /// <returns>The number of bytes.</returns>
    public static int WriteExtension(Span<byte> destination, long value)
    {
        switch (value)
        {
            case < OneByteBase:
                return 0;
            case < TwoBytesBase:
                destination[0] = (byte)(value - OneByteBase);
                return 1;
            case < FourBytesBase:
                BinaryPrimitives.WriteUInt16BigEndian(destination, (ushort)(value - TwoBytesBase));
                return 2;
            default:
                BinaryPrimitives.WriteUInt32BigEndian(destination, (uint)(value - FourBytesBase));
                return 4;
        }
    }
}
