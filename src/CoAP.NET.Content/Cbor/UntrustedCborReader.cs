using System.Buffers;
using System.Formats.Cbor;
using System.Globalization;
using System.Numerics;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Reads untrusted CBOR with the reader of System.Formats.Cbor, and turns its exceptions into faults. The reader is lax: its strict mode
/// refuses duplicate keys everywhere and says no offset. Texts and simple values are checked here instead.
/// </summary>
internal static class UntrustedCborReader
{
    /// <summary>The maximum nesting depth of skipped arrays, maps and tags.</summary>
    public const int MaxDepth = 16;

    /// <summary>The maximum number of bytes of a big integer.</summary>
    public const int MaxBignumBytes = 32;

    private const long MaxExponent = 1_000;

    /// <summary>Reads one item, or a sequence.</summary>
    /// <param name="data">The bytes.</param>
    /// <param name="read">Reads everything from a reader at the begin of the data.</param>
    /// <param name="value">The result of <paramref name="read"/>; default after a fault.</param>
    /// <param name="fault">The fault.</param>
    /// <param name="isSequence">Whether several items may follow each other.</param>
    /// <returns>False for a fault.</returns>
    public static bool TryRead<T>(
        ReadOnlyMemory<byte> data, Func<CborReader, T> read, out T? value, out ContentFault fault, bool isSequence = false)
    {
        CborReader reader = new(data, CborConformanceMode.Lax, isSequence);
        value = default;
        try
        {
            T result = read(reader);
            if (reader.BytesRemaining > 0)
            {
                throw reader.Fault("something follows the end of the item");
            }

            (value, fault) = (result, default);
            return true;
        }
        catch (CborFaultException exception)
        {
            fault = new ContentFault(data.Length - exception.Remaining, exception.Message);
        }
        catch (Exception exception) when (exception is CborContentException or InvalidOperationException or OverflowException)
        {
            int offset = data.Length - reader.BytesRemaining;
            fault = new ContentFault(offset, Describe(exception, data.Span[offset..]));
        }

        return false;
    }

    /// <summary>Describes a fault at the next item.</summary>
    public static CborFaultException Fault(this CborReader reader, string message) => new(reader.BytesRemaining, message);

    public static bool IsAtText(this CborReader reader) =>
        reader.PeekState() is CborReaderState.TextString or CborReaderState.StartIndefiniteLengthTextString;

    public static bool IsAtTag(this CborReader reader, CborTag tag) =>
        reader.PeekState() == CborReaderState.Tag && reader.PeekTag() == tag;

    public static string ReadText(this CborReader reader) => Encoding.UTF8.GetString(reader.ReadUtf8().Span);

    /// <summary>Reads a text string as its bytes, each part of which is valid UTF-8.</summary>
    public static ReadOnlyMemory<byte> ReadUtf8(this CborReader reader)
    {
        if (reader.PeekState() != CborReaderState.StartIndefiniteLengthTextString)
        {
            int start = reader.BytesRemaining;
            ReadOnlyMemory<byte> text = reader.ReadDefiniteLengthTextStringBytes();
            return Utf8.IsValid(text.Span) ? text : throw new CborFaultException(start, "the text is not valid UTF-8");
        }

        ArrayBufferWriter<byte> parts = new();
        reader.ReadStartIndefiniteLengthTextString();
        while (reader.PeekState() == CborReaderState.TextString)
        {
            parts.Write(reader.ReadUtf8().Span);
        }

        reader.ReadEndIndefiniteLengthTextString();
        return parts.WrittenMemory;
    }

    /// <summary>Reads a key that is an integer or a text.</summary>
    /// <returns>The integer, null for one that does not fit in 64 bits with sign; or the text.</returns>
    public static (long? Number, string? Text) ReadKey(this CborReader reader) => reader.PeekState() switch
    {
        CborReaderState.UnsignedInteger => (reader.ReadUInt64() is <= long.MaxValue and var value ? (long)value : null, null),
        CborReaderState.NegativeInteger =>
            (reader.ReadCborNegativeIntegerRepresentation() is <= long.MaxValue and var value ? ~(long)value : null, null),
        CborReaderState.TextString or CborReaderState.StartIndefiniteLengthTextString => (null, reader.ReadText()),
        _ => throw reader.Fault("a key that is an integer or a text was expected"),
    };

    /// <summary>Reads the number of a simple value, such as 22 for null.</summary>
    public static int ReadSimple(this CborReader reader)
    {
        int start = reader.BytesRemaining;
        int value = (int)reader.ReadSimpleValue();
        return value >= 32 || reader.BytesRemaining == start - 1
            ? value
            : throw new CborFaultException(start, "a simple value below 32 takes one byte");
    }

    /// <summary>Reads any item as its bytes.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="data">All of its data.</param>
    public static ReadOnlyMemory<byte> ReadItem(this CborReader reader, ReadOnlyMemory<byte> data)
    {
        int start = data.Length - reader.BytesRemaining;
        reader.Skip();
        return data[start..(data.Length - reader.BytesRemaining)];
    }

    /// <summary>Skips any item with its content. The package would skip items of any depth.</summary>
    public static void Skip(this CborReader reader, int depth = MaxDepth)
    {
        if (depth == 0)
        {
            throw reader.Fault($"items are nested more than {MaxDepth} deep");
        }

        switch (reader.PeekState())
        {
            case CborReaderState.Tag:
                reader.ReadTag();
                reader.Skip(depth - 1);
                break;
            case CborReaderState.StartArray:
                reader.ReadStartArray();
                while (reader.PeekState() != CborReaderState.EndArray)
                {
                    reader.Skip(depth - 1);
                }

                reader.ReadEndArray();
                break;
            case CborReaderState.StartMap:
                reader.ReadStartMap();
                while (reader.PeekState() != CborReaderState.EndMap)
                {
                    reader.Skip(depth - 1);
                }

                reader.ReadEndMap();
                break;
            case CborReaderState.TextString or CborReaderState.StartIndefiniteLengthTextString:
                reader.ReadUtf8();
                break;
            case CborReaderState.SimpleValue:
                reader.ReadSimple();
                break;
            default:
                reader.SkipValue();
                break;
        }
    }

    /// <summary>Reads a number of any form, rounded to the nearest double. Not-a-number and infinities are faults.</summary>
    public static double ReadNumber(this CborReader reader)
    {
        int start = reader.BytesRemaining;
        double value;
        if (reader.PeekState()
            is CborReaderState.HalfPrecisionFloat or CborReaderState.SinglePrecisionFloat or CborReaderState.DoublePrecisionFloat)
        {
            value = reader.ReadDouble();
        }
        else if (reader.IsAtTag(CborTag.DecimalFraction))
        {
            (BigInteger mantissa, long exponent) = reader.ReadDecimalFraction();
            value = Round(mantissa, exponent);
        }
        else
        {
            value = Round(reader.ReadInteger(), 0);
        }

        return double.IsFinite(value) ? value : throw new CborFaultException(start, "the number is not finite");
    }

    /// <summary>Reads a decimal fraction with its tag: the mantissa times ten to the power of the exponent.</summary>
    public static (BigInteger Mantissa, long Exponent) ReadDecimalFraction(this CborReader reader)
    {
        int start = reader.BytesRemaining;
        reader.ReadTag();
        if (reader.ReadStartArray() is not (null or 2))
        {
            throw new CborFaultException(start, "a decimal fraction has an exponent and a mantissa");
        }

        long exponent = reader.ReadInt64();
        BigInteger mantissa = reader.ReadInteger();
        if (reader.PeekState() != CborReaderState.EndArray || exponent is < -MaxExponent or > MaxExponent)
        {
            throw new CborFaultException(start, $"a decimal fraction has an exponent of at most {MaxExponent} and a mantissa");
        }

        reader.ReadEndArray();
        return (mantissa, exponent);
    }

    /// <summary>Reads an integer of any size; big ones have their tag (RFC 8949 section 3.4.3).</summary>
    public static BigInteger ReadInteger(this CborReader reader)
    {
        int start = reader.BytesRemaining;
        CborReaderState state = reader.PeekState();
        if (state == CborReaderState.UnsignedInteger)
        {
            return reader.ReadUInt64();
        }

        if (state == CborReaderState.NegativeInteger)
        {
            return -1 - (BigInteger)reader.ReadCborNegativeIntegerRepresentation();
        }

        if (!reader.IsAtTag(CborTag.UnsignedBigNum) && !reader.IsAtTag(CborTag.NegativeBigNum))
        {
            throw reader.Fault("a number was expected");
        }

        CborTag tag = reader.ReadTag();
        if (reader.PeekState() is not (CborReaderState.ByteString or CborReaderState.StartIndefiniteLengthByteString))
        {
            throw reader.Fault("a byte string was expected");
        }

        // Checked before any computation, because digits cost more than bytes.
        byte[] magnitude = reader.ReadByteString();
        return magnitude.Length <= MaxBignumBytes
            ? BignumOf(tag, magnitude)
            : throw new CborFaultException(start, $"a big integer has at most {MaxBignumBytes} bytes here");
    }

    /// <summary>Returns the integer of a tag and its bytes.</summary>
    public static BigInteger BignumOf(CborTag tag, ReadOnlySpan<byte> magnitude)
    {
        BigInteger value = new(magnitude, isUnsigned: true, isBigEndian: true);
        return tag == CborTag.NegativeBigNum ? -1 - value : value;
    }

    private static double Round(BigInteger mantissa, long exponent)
    {
        if (exponent == 0 && mantissa >= int.MinValue && mantissa <= int.MaxValue)
        {
            return (int)mantissa;
        }

        // Converts through decimal digits, which are rounded once to the nearest; the conversion of a BigInteger truncates.
        string digits = string.Create(CultureInfo.InvariantCulture, $"{mantissa}E{exponent}");
        return double.Parse(digits, NumberStyles.Float, CultureInfo.InvariantCulture);
    }

    // The texts of the package name its methods, and a trimmed program may be without them.
    private static string Describe(Exception why, ReadOnlySpan<byte> rest) => CborHead.Read(rest, out CborHead head) ?? why switch
    {
        OverflowException => "the integer is out of range",
        InvalidOperationException => $"{NameOf(head)} was not expected",
        _ when head.IsIndefinite || head.Argument <= (ulong)(rest.Length - head.Length) / (head.Major == CborMajor.Map ? 2u : 1u) =>
            "a part of a string of indefinite length must be a string of the same type and of definite length",
        _ => "the length is beyond the end of the data",
    };

    private static string NameOf(CborHead head) => head.Major switch
    {
        CborMajor.UnsignedInteger => "an unsigned integer",
        CborMajor.NegativeInteger => "a negative integer",
        CborMajor.ByteString => "a byte string",
        CborMajor.TextString => "a text string",
        CborMajor.Array => "an array",
        CborMajor.Map => "a map",
        CborMajor.Tag => "a tag",
        _ => head.IsFloat ? "a floating-point number" : "a simple value",
    };
}
