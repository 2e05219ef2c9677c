using System.Buffers;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads what follows the token in both formats: options, payload marker, payload (RFC 7252 sections 3 and 3.1).
/// <code>
///     0   1   2   3   4   5   6   7
///   +---------------+---------------+
///   |  Option Delta | Option Length |   1 byte
///   +---------------+---------------+
///   /         Option Delta          /   0-2 bytes
///   \          (extended)           \
///   +-------------------------------+
///   /         Option Length         /   0-2 bytes
///   \          (extended)           \
///   +-------------------------------+
///   /         Option Value          /   0 or more bytes
///   +-------------------------------+
/// </code>
/// Never throws and never allocates; the first byte, in the order of the message, that breaks a rule decides the verdict.
/// </summary>
internal static class OptionSequenceReader
{
    /// <summary>The byte between options and payload.</summary>
    public const byte PayloadMarker = 0xff;

    // One byte, and two extensions of at most two bytes.
    private const int MaxHeader = 5;

    /// <summary>Checks every rule, counts the options and finds the payload.</summary>
    /// <param name="block">All bytes after the token.</param>
    /// <param name="maxOptions">The maximum number of options.</param>
    /// <param name="shape">The result.</param>
    /// <param name="rule">The violated rule.</param>
    /// <param name="offset">The position of the violation in the block.</param>
    /// <returns>Whether the block is valid.</returns>
    public static bool TryMeasure(
        ReadOnlySpan<byte> block, int maxOptions, out OptionSequenceLayout shape, out CoapMessageFormatViolation rule,
        out int offset)
    {
        shape = default;
        offset = 0;
        int number = 0;
        int count = 0;
        while (offset < block.Length)
        {
            if (block[offset] == PayloadMarker)
            {
                rule = offset + 1 == block.Length ? CoapMessageFormatViolation.PayloadMissing : CoapMessageFormatViolation.None;
                shape = new OptionSequenceLayout(count, offset, offset + 1);
                return rule == CoapMessageFormatViolation.None;
            }

            if (count == maxOptions)
            {
                rule = CoapMessageFormatViolation.TooManyOptions;
                return false;
            }

            rule = ReadHeader(block, ref offset, ref number, out int length);
            if (rule != CoapMessageFormatViolation.None)
            {
                return false;
            }

            if (length > block.Length - offset)
            {
                rule = CoapMessageFormatViolation.OptionValueTruncated;
                offset = block.Length;
                return false;
            }

            offset += length;
            count++;
        }

        rule = CoapMessageFormatViolation.None;
        shape = new OptionSequenceLayout(count, offset, offset);
        return true;
    }

    /// <summary>Fills the table of a collection with the options of a block that <see cref="TryMeasure"/> found sound.</summary>
    /// <param name="block">The block that the collection keeps.</param>
    /// <param name="count">The number of options.</param>
    /// <param name="options">The collection.</param>
    public static void Fill(ReadOnlyMemory<byte> block, int count, CoapOptionCollection options)
    {
        options.UseBlock(block, count);
        ReadOnlySpan<byte> bytes = block.Span;
        int number = 0;
        int offset = 0;
        for (int i = 0; i < count; i++)
        {
            ReadHeader(bytes, ref offset, ref number, out int length);
            options.AppendReceived(number, offset, length);
            offset += length;
        }
    }

    /// <summary>Reads the header of the option at the beginning of a sequence.</summary>
    /// <param name="block">The bytes; at least one, and not the payload marker.</param>
    /// <param name="offset">The position of the value, or of the violation.</param>
    /// <param name="number">The number of the option before; then that of this one.</param>
    /// <param name="length">The length of the value.</param>
    /// <returns>The violated rule. <see cref="CoapMessageFormatViolation.OptionHeaderTruncated"/> if more bytes are needed.</returns>
    public static CoapMessageFormatViolation ReadHeader(in ReadOnlySequence<byte> block, ref int offset, ref int number, out int length)
    {
        ReadOnlySpan<byte> first = block.FirstSpan;
        if (block.IsSingleSegment || first.Length >= MaxHeader)
        {
            return ReadHeader(first, ref offset, ref number, out length);
        }

        Span<byte> joined = stackalloc byte[MaxHeader];
        int available = (int)Math.Min(MaxHeader, block.Length);
        block.Slice(0, available).CopyTo(joined);
        return ReadHeader(joined[..available], ref offset, ref number, out length);
    }

    // Moves the offset to the value, or, when a rule broke, to the place where it did.
    private static CoapMessageFormatViolation ReadHeader(ReadOnlySpan<byte> block, ref int offset, ref int number, out int length)
    {
        int begin = offset;
        int delta = block[offset] >> 4;
        length = block[offset] & 0x0f;
        if (delta == ExtendedField.Reserved)
        {
            return CoapMessageFormatViolation.OptionDeltaReserved;
        }

        if (length == ExtendedField.Reserved)
        {
            return CoapMessageFormatViolation.OptionLengthReserved;
        }

        offset++;
        if (delta > 12 && !TryExtend(block, ref offset, ref delta))
        {
            return CoapMessageFormatViolation.OptionHeaderTruncated;
        }

        // A sum, not a cast: two large deltas must not wrap to a small number.
        number += delta;
        if (number > OptionNumber.Max)
        {
            offset = begin;
            return CoapMessageFormatViolation.OptionNumberTooLarge;
        }

        return length > 12 && !TryExtend(block, ref offset, ref length) ? CoapMessageFormatViolation.OptionHeaderTruncated
            : CoapMessageFormatViolation.None;
    }

    private static bool TryExtend(ReadOnlySpan<byte> block, ref int offset, ref int field)
    {
        int size = ExtendedField.SizeOfExtension(field);
        if (block.Length - offset < size)
        {
            offset = block.Length;
            return false;
        }

        field = (int)ExtendedField.Read(field, block[offset..]);
        offset += size;
        return true;
    }
}
