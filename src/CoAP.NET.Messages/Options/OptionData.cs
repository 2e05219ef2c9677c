using System.Text;

namespace CoAP.NET;

/// <summary>The raw data of an option in a message: number and bytes.</summary>
/// <remarks>Valid only for the call that receives it.</remarks>
public readonly ref struct OptionData
{
    /// <summary>Creates the data from a number and a value.</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The bytes of the value.</param>
    public OptionData(int number, ReadOnlySpan<byte> value)
    {
        Number = number;
        Value = value;
    }

    /// <summary>The option number.</summary>
    public int Number { get; }

    /// <summary>The bytes of the value.</summary>
    public ReadOnlySpan<byte> Value { get; }

    /// <summary>Returns the value as an integer; leading zero bytes are accepted (RFC 7252 section 3.2).</summary>
    /// <returns>The integer.</returns>
    /// <exception cref="FormatException">The value does not fit 32 bits.</exception>
    public uint GetUInt() => TryGetUInt(out uint value)
        ? value
        : throw new FormatException($"The value of option {Number} has {Value.Length} bytes and does not fit an unsigned 32-bit integer.");

    /// <summary>Gets the value as an integer of at most 32 bits; leading zero bytes are accepted (RFC 7252 section 3.2).</summary>
    /// <param name="value">The integer; 0 if the value does not fit.</param>
    /// <returns>Whether the value fits 32 bits.</returns>
    public bool TryGetUInt(out uint value) => TryReadUInt(Value, out value);

    /// <summary>Returns the value as a string; bytes that are not UTF-8 become U+FFFD.</summary>
    /// <returns>The string.</returns>
    public string GetString() => Encoding.UTF8.GetString(Value);

    internal static bool TryReadUInt(ReadOnlySpan<byte> bytes, out uint value)
    {
        ulong sum = 0;
        foreach (byte b in bytes)
        {
            sum = (sum << 8) | b;
            if (sum > uint.MaxValue)
            {
                value = 0;
                return false;
            }
        }

        value = (uint)sum;
        return true;
    }
}
