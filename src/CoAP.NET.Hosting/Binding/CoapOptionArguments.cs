using System.Buffers.Binary;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Numerics;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Binding;

/// <summary>Reads values from request options. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapOptionArguments
{
    /// <summary>Reads the value of an option.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the bytes are valid.</returns>
    public delegate bool Reader<T>(ReadOnlySpan<byte> bytes, [MaybeNullWhen(false)] out T value);

    /// <summary>Reads the first option with a number.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="number">The option number.</param>
    /// <param name="reader">Reads its value.</param>
    /// <param name="value">The value; the default if there is none.</param>
    /// <param name="isPresent">Whether there is such an option.</param>
    /// <returns>True if it is valid or missing.</returns>
    public static bool TryGet<T>(CoapRequest request, int number, Reader<T> reader, out T? value, out bool isPresent)
    {
        value = default;
        int index = request.Options.IndexOf(number);
        isPresent = index >= 0;
        return !isPresent || reader(request.Options.ValueAt(index), out value);
    }

    /// <summary>Reads all options with a number.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="number">The option number.</param>
    /// <param name="reader">Reads a value.</param>
    /// <param name="values">The values in order; empty if there are none.</param>
    /// <returns>True if all are valid.</returns>
    public static bool TryGetAll<T>(CoapRequest request, int number, Reader<T> reader, out T[] values)
    {
        CoapOptionCollection options = request.Options;
        List<T>? found = null;
        values = [];
        for (int i = options.IndexOf(number); i >= 0 && i < options.Count && options.NumberAt(i) == number; i++)
        {
            if (!reader(options.ValueAt(i), out T? value))
            {
                return false;
            }

            (found ??= []).Add(value);
        }

        values = found is null ? [] : [.. found];
        return true;
    }

    /// <summary>Reads text in UTF-8 (RFC 7252 section 3.2).</summary>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">The text.</param>
    /// <returns>True if it is valid text.</returns>
    public static bool Text(ReadOnlySpan<byte> bytes, [MaybeNullWhen(false)] out string value)
    {
        value = Utf8.IsValid(bytes) ? Encoding.UTF8.GetString(bytes) : null;
        return value is not null;
    }

    /// <summary>Reads an unsigned integer (RFC 7252 section 3.2) that fits a type.</summary>
    /// <typeparam name="T">The type of the number.</typeparam>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">The number.</param>
    /// <returns>True if it fits.</returns>
    public static bool Number<T>(ReadOnlySpan<byte> bytes, out T value)
        where T : IBinaryInteger<T>
    {
        value = T.Zero;
        return T.TryReadBigEndian(bytes, isUnsigned: true, out value);
    }

    /// <summary>Reads bytes.</summary>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">A copy.</param>
    /// <returns>True.</returns>
    public static bool Bytes(ReadOnlySpan<byte> bytes, out byte[] value)
    {
        value = bytes.ToArray();
        return true;
    }

    /// <summary>Reads bytes.</summary>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">A copy.</param>
    /// <returns>True.</returns>
    public static bool Memory(ReadOnlySpan<byte> bytes, out ReadOnlyMemory<byte> value)
    {
        value = bytes.ToArray();
        return true;
    }

    /// <summary>Reads an entity-tag.</summary>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">The entity-tag.</param>
    /// <returns>True if it has 1 to 8 bytes.</returns>
    public static bool EntityTag(ReadOnlySpan<byte> bytes, out CoapETag value)
    {
        bool isOne = bytes.Length is > 0 and <= CoapETag.MaxLength;
        value = isOne ? new CoapETag(bytes) : default;
        return isOne;
    }

    /// <summary>Reads a Content-Format.</summary>
    /// <param name="bytes">The value of the option.</param>
    /// <param name="value">The Content-Format.</param>
    /// <returns>True if it is valid.</returns>
    public static bool Format(ReadOnlySpan<byte> bytes, out CoapContentFormat value)
    {
        Span<byte> number = stackalloc byte[2];
        bytes = bytes.TrimStart((byte)0);
        bool isOne = bytes.Length <= 2;
        if (isOne)
        {
            bytes.CopyTo(number[(2 - bytes.Length)..]);
        }

        value = new CoapContentFormat(BinaryPrimitives.ReadUInt16BigEndian(number));
        return isOne;
    }
}
