using System.Globalization;
using System.Numerics;

namespace CoAP.NET;

/// <summary>Block number, more flag and block size: the value of Block1, Block2, Q-Block1 and Q-Block2 (RFC 7959 section 2.2).</summary>
/// <remarks>The default value is 0/0/16, which has zero bytes on the wire.</remarks>
public readonly record struct BlockValue
{
    /// <summary>The largest block number: 20 bits.</summary>
    internal const int MaxNumber = 0xf_ffff;

    /// <summary>The largest size exponent of one block: 1,024 bytes.</summary>
    internal const int MaxSizeExponent = 6;

    /// <summary>
    /// The size exponent of BERT: several blocks of 1,024 bytes in one message, on reliable transports only (RFC 8323 section 6).
    /// </summary>
    internal const int BertSizeExponent = 7;

    private const int MoreBit = 8;

    /// <summary>Creates a value.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="sizeExponent">The size exponent SZX: 0 (16 bytes) to 6 (1,024 bytes), or 7 for BERT.</param>
    /// <exception cref="ArgumentOutOfRangeException">Number or size exponent is out of range.</exception>
    public BlockValue(int number, bool more, int sizeExponent)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(number, MaxNumber);
        ArgumentOutOfRangeException.ThrowIfNegative(sizeExponent);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(sizeExponent, BertSizeExponent);
        Value = ((uint)number << 4) | (more ? (uint)MoreBit : 0) | (uint)sizeExponent;
    }

    private BlockValue(uint value) => Value = value;

    /// <summary>The integer on the wire: number &lt;&lt; 4 | more &lt;&lt; 3 | size exponent.</summary>
    public uint Value { get; }

    /// <summary>The block number NUM, 0 to 1,048,575; under BERT it counts blocks of 1,024 bytes.</summary>
    public int Number => (int)(Value >> 4);

    /// <summary>Whether more blocks follow (M).</summary>
    /// <remarks>It has no meaning, and is sent as 0, in Block2 of a request.</remarks>
    public bool More => (Value & MoreBit) != 0;

    /// <summary>The size exponent SZX, 0 to 7.</summary>
    public int SizeExponent => (int)(Value & 7);

    /// <summary>
    /// Whether the size exponent is 7: BERT on reliable transports, reserved on UDP (RFC 7959 section 2.2, RFC 8323 section 6).
    /// </summary>
    internal bool IsBert => SizeExponent == BertSizeExponent;

    /// <summary>The block size in bytes, 16 to 1,024; for BERT 1,024, of which a message carries a multiple.</summary>
    public int Size => 16 << Math.Min(SizeExponent, MaxSizeExponent);

    /// <summary>The position of the block in the body, in bytes.</summary>
    internal long ByteOffset => (long)Number * Size;

    /// <summary>Creates a value from a block size.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024.</param>
    /// <returns>The value.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public static BlockValue FromSize(int number, bool more, int size) => BitOperations.IsPow2(size) && size is >= 16 and <= 1024
        ? new BlockValue(number, more, GetSizeExponent(size))
        : throw new ArgumentOutOfRangeException(nameof(size), size,
            "A block size must be 16, 32, 64, 128, 256, 512 or 1024 bytes (RFC 7959 section 2.2).");

    /// <summary>Creates the value of the block at an offset.</summary>
    /// <param name="offset">The offset in bytes, a multiple of the block size.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="sizeExponent">The size exponent SZX, 0 to 7.</param>
    /// <returns>The value.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The offset is not a multiple of the size or needs a number above 1,048,575, or the
    /// exponent is out of range.</exception>
    internal static BlockValue FromOffset(long offset, bool more, int sizeExponent)
    {
        int size = new BlockValue(0, more, sizeExponent).Size;
        if (offset < 0 || offset % size != 0 || offset / size > MaxNumber)
        {
            throw new ArgumentOutOfRangeException(
                nameof(offset), offset,
                $"A block of {size} bytes must begin at a multiple of its size, at most {(long)MaxNumber * size} (RFC 7959 section 2.2).");
        }

        return new BlockValue((int)(offset / size), more, sizeExponent);
    }

    /// <summary>Creates a value from the integer on the wire.</summary>
    /// <param name="value">The integer, 0 to 16,777,215.</param>
    /// <returns>The value.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The integer needs more than 3 bytes.</exception>
    public static BlockValue FromUInt32(uint value)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 0xff_ffffu);
        return new BlockValue(value);
    }

    /// <summary>Reads the value of an option; leading zero bytes are accepted.</summary>
    /// <param name="bytes">The bytes of the option's value.</param>
    /// <param name="block">The value.</param>
    /// <returns>Whether there are 0 to 3 bytes; otherwise the option counts as unrecognized (RFC 7252 section 5.4.3).</returns>
    public static bool TryParse(ReadOnlySpan<byte> bytes, out BlockValue block)
    {
        block = default;
        if (bytes.Length > 3 || !OptionData.TryReadUInt(bytes, out uint value))
        {
            return false;
        }

        block = new BlockValue(value);
        return true;
    }

    /// <summary>Returns the exponent of the largest block size up to a number of bytes.</summary>
    /// <param name="size">The number of bytes, at least 16.</param>
    /// <returns>The size exponent, 0 to 6.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Fewer than 16 bytes.</exception>
    internal static int GetSizeExponent(int size)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(size, 16);
        return Math.Min(BitOperations.Log2((uint)size) - 4, MaxSizeExponent);
    }

    /// <summary>
    /// Returns the same position in the body with another block size, for example after a request for smaller blocks (RFC 7959 sections 2.3
    /// and 2.4).
    /// </summary>
    /// <param name="sizeExponent">The size exponent SZX, 0 to 7.</param>
    /// <returns>The value with the same more flag.</returns>
    /// <exception cref="ArgumentOutOfRangeException">No block of that size begins there, or its number would exceed 1,048,575.</exception>
    internal BlockValue WithSizeExponent(int sizeExponent) => FromOffset(ByteOffset, More, sizeExponent);

    /// <summary>Writes the value in its wire format, without leading zeros.</summary>
    /// <param name="destination">At least 3 bytes, or as many as the value needs.</param>
    /// <returns>The number of bytes written, 0 to 3.</returns>
    public int Write(Span<byte> destination) => UIntOption.Write(Value, destination);

    /// <summary>Returns number, more flag and size, such as <c>3/1/128</c>; <c>3/1/BERT</c> for size exponent 7.</summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        string.Create(CultureInfo.InvariantCulture, $"{Number}/{(More ? 1 : 0)}/")
            + (IsBert ? "BERT" : Size.ToString(CultureInfo.InvariantCulture));
}
