using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;

namespace CoAP.NET.Binding;

/// <summary>Parses values from the text of routes, queries and bodies, in the invariant culture. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapParsers
{
    /// <summary>Returns text unmodified.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">The same.</param>
    /// <returns>True.</returns>
    public static bool Text(string text, out string value)
    {
        value = text;
        return true;
    }

    /// <summary>Parses a type with its own parser.</summary>
    /// <typeparam name="T">The type.</typeparam>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool Parsable<T>(string text, [MaybeNullWhen(false)] out T value)
        where T : IParsable<T> => T.TryParse(text, CultureInfo.InvariantCulture, out value);

    /// <summary>Parses a number that may have a fraction: digits, a decimal point, an exponent.</summary>
    /// <typeparam name="T">The type of the number.</typeparam>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    /// <remarks>
    /// It rejects commas, which separate thousands in some cultures and decimals in others, and numbers that are not finite.
    /// </remarks>
    public static bool Number<T>(string text, out T value)
        where T : struct, INumberBase<T> =>
        T.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out value) && T.IsFinite(value);

    /// <summary>Parses true, false, 1 or 0; a query argument without a value is true.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool Boolean(string text, out bool value)
    {
        value = text is "" or "1";
        return value || text == "0" || bool.TryParse(text, out value);
    }

    /// <summary>Parses a name of an enumeration, ignoring case, or a number that has a name.</summary>
    /// <typeparam name="T">The enumeration.</typeparam>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool Enumeration<T>(string text, out T value)
        where T : struct, Enum => Enum.TryParse(text, ignoreCase: true, out value) && Enum.IsDefined(value);

    /// <summary>Parses names of a flags enumeration, separated by commas, or a number.</summary>
    /// <typeparam name="T">The enumeration.</typeparam>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool Flags<T>(string text, out T value)
        where T : struct, Enum => Enum.TryParse(text, ignoreCase: true, out value);

    /// <summary>Parses a point in time; without an offset it is UTC, so that it means the same on every machine.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool PointInTime(string text, out DateTimeOffset value) =>
        DateTimeOffset.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal, out value);

    /// <summary>Parses a point in time in UTC; without an offset it counts as UTC.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool DateAndTime(string text, out DateTime value) =>
        DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeUniversal | DateTimeStyles.AdjustToUniversal, out value);

    /// <summary>Parses a URI, absolute or relative.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">The value.</param>
    /// <returns>True if the text is valid.</returns>
    public static bool AnyUri(string text, [MaybeNullWhen(false)] out Uri value) =>
        Uri.TryCreate(text, UriKind.RelativeOrAbsolute, out value);
}
