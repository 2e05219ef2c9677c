using System.Globalization;

namespace CoAP.NET;

/// <summary>
/// A Content-Format: the number of an Internet media type with a content coding (RFC 7252 section 12.3).
/// Any number is legal; those this library names are static members. Absent is another thing than 0: use a nullable.
/// </summary>
/// <param name="Value">The number, 0 to 65,535.</param>
public readonly partial record struct CoapContentFormat(ushort Value)
{
    /// <summary>Makes a Content-Format of any number.</summary>
    /// <param name="value">The number.</param>
    public static explicit operator CoapContentFormat(int value) => FromInt32(value);

    /// <summary>Makes a Content-Format of any number.</summary>
    /// <param name="value">The number, 0 to 65,535.</param>
    /// <returns>The Content-Format.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is out of its range.</exception>
    public static CoapContentFormat FromInt32(int value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, ushort.MaxValue);
        return new CoapContentFormat((ushort)value);
    }

    /// <summary>The media type where it is known, otherwise the number.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => MediaType ?? Value.ToString(CultureInfo.InvariantCulture);
}
