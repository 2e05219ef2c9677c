using System.Buffers.Binary;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Numerics;
using System.Text.Unicode;
using System.Text;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>Finds the arguments of handlers in requests. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapHandlerArgumentBinder
{
    private const int UriQuery = 15;

    /// <summary>Returns a value of the route.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in the template.</param>
    /// <returns>The value; null if the template has no such parameter.</returns>
    public static string? FromRoute(CoapRequestContext request, string name) =>
        request.Route.TryGetValue(name, out string? value) ? value : null;

    /// <summary>Returns a value of the query.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <returns>The text after <c>name=</c> in the first argument with that name; empty for the name alone, and null without one.</returns>
    public static string? FromQuery(CoapRequestContext request, ReadOnlySpan<byte> name)
    {
        CoapOptionCollection options = request.Options;
        for (int i = options.IndexOf(UriQuery); i >= 0 && i < options.Count && options.NumberAt(i) == UriQuery; i++)
        {
            if (TryGetValue(options.ValueAt(i), name, out ReadOnlySpan<byte> value))
            {
                return Encoding.UTF8.GetString(value);
            }
        }

        return null;
    }

    /// <summary>Returns a value of the route, which may come from the prefix of a group; otherwise of the query.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name.</param>
    /// <param name="utf8">The same in UTF-8.</param>
    /// <returns>The value; null if there is none.</returns>
    public static string? FromRouteOrQuery(CoapRequestContext request, string name, ReadOnlySpan<byte> utf8) =>
        FromRoute(request, name) ?? FromQuery(request, utf8);

    /// <summary>Returns all values of a query argument.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <param name="parser">Reads a value.</param>
    /// <param name="values">The values in order; empty if there are none.</param>
    /// <returns>True if all are valid.</returns>
    public static bool TryGetAllFromQuery<T>(CoapRequestContext request, ReadOnlySpan<byte> name, CoapParser<string, T> parser,
        out T[] values)
    {
        List<T>? found = null;
        CoapOptionCollection options = request.Options;
        values = [];
        for (int i = options.IndexOf(UriQuery); i >= 0 && i < options.Count && options.NumberAt(i) == UriQuery; i++)
        {
            if (!TryGetValue(options.ValueAt(i), name, out ReadOnlySpan<byte> text))
            {
                continue;
            }

            if (!parser(Encoding.UTF8.GetString(text), out T? value))
            {
                return false;
            }

            (found ??= []).Add(value);
        }

        values = found is null ? [] : [.. found];
        return true;
    }

    /// <summary>Returns the body as text in UTF-8.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether the payload may be missing.</param>
    /// <param name="text">The text; null for an optional one that is missing.</param>
    /// <param name="refusal">The answer if there is no valid text.</param>
    /// <returns>True if the handler can run.</returns>
    public static bool TryGetText(CoapRequestContext request, string name, bool isOptional, out string? text,
        [NotNullWhen(false)] out CoapResult? refusal)
    {
        text = null;
        refusal = null;
        if (request.Payload.IsEmpty && isOptional)
        {
            return true;
        }

        if (request.ContentFormat is { } format && format != CoapContentFormat.TextPlain)
        {
            refusal = CoapResults.Refuse(request, $"The body '{name}' is read as text; this is {format}.",
                CoapCode.UnsupportedContentFormat);
        }
        else if (!Utf8.IsValid(request.Payload.Span))
        {
            refusal = CannotRead(request, $"the body '{name}'", "text in UTF-8");
        }
        else
        {
            text = Encoding.UTF8.GetString(request.Payload.Span);
        }

        return refusal is null;
    }

    /// <summary>Returns a service of the request.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <returns>The service.</returns>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static T Service<T>(CoapRequestContext request)
        where T : notnull => Services(request, typeof(T)).GetRequiredService<T>();

    /// <summary>Returns an optional service of the request.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <returns>The service; null if there is none.</returns>
    public static T? OptionalService<T>(CoapRequestContext request)
    {
        IServiceProvider? services = request.Services;
        return services is null ? default : services.GetService<T>();
    }

    /// <summary>Returns a keyed service.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="key">The key.</param>
    /// <returns>The service.</returns>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static T KeyedService<T>(CoapRequestContext request, object? key)
        where T : notnull => Services(request, typeof(T)).GetRequiredKeyedService<T>(key);

    /// <summary>Returns an optional keyed service.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="key">The key.</param>
    /// <returns>The service; null if there is none.</returns>
    public static T? OptionalKeyedService<T>(CoapRequestContext request, object? key)
    {
        IServiceProvider? services = request.Services;
        return services is null ? default : services.GetKeyedService<T>(key);
    }

    /// <summary>Returns the service provider of the request.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The services.</returns>
    /// <exception cref="InvalidOperationException">There are none.</exception>
    public static IServiceProvider Services(CoapRequestContext request) => Services(request, typeof(IServiceProvider));

    /// <summary>Reads the first option with a number.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="number">The option number.</param>
    /// <param name="reader">Reads its value.</param>
    /// <param name="value">The value; the default if there is none.</param>
    /// <param name="isPresent">Whether there is such an option.</param>
    /// <returns>True if it is valid or missing.</returns>
    public static bool TryGet<T>(CoapRequestContext request, int number, CoapParser<ReadOnlySpan<byte>, T> reader, out T? value,
        out bool isPresent)
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
    public static bool TryGetAll<T>(CoapRequestContext request, int number, CoapParser<ReadOnlySpan<byte>, T> reader, out T[] values)
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
    public static bool Unsigned<T>(ReadOnlySpan<byte> bytes, out T value)
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

    /// <summary>Creates and counts the answer to a request without a required argument.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The missing argument, such as <c>the query argument 'limit'</c>.</param>
    /// <returns>4.00.</returns>
    public static CoapResult Lacks(CoapRequestContext request, string what) => CoapResults.Refuse(request, $"The request lacks {what}.");

    /// <summary>Creates and counts the answer to a request with an invalid argument.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The invalid argument, such as <c>the query argument 'limit'</c>.</param>
    /// <param name="type">The expected type.</param>
    /// <returns>4.00.</returns>
    public static CoapResult CannotRead(CoapRequestContext request, string what, string type) =>
        CoapResults.Refuse(request, $"T{what.AsSpan(1)} cannot be read as {type}.");

    /// <summary>
    /// Creates and counts the answer to a request with an argument that is not a number in the format of
    /// <see cref="Number{T}(string, out T)"/>.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The invalid argument, such as <c>the query argument 'celsius'</c>.</param>
    /// <param name="type">The expected type.</param>
    /// <returns>4.00.</returns>
    public static CoapResult CannotReadNumber(CoapRequestContext request, string what, string type) =>
        CoapResults.Refuse(request,
            $"T{what.AsSpan(1)} cannot be read as {type}. Write it with a decimal point and without separators of thousands, such as "
                + "1234.5.");

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

    internal static IServiceProvider Services(CoapRequestContext request, Type type) =>
        request.Services ?? throw new InvalidOperationException(
        $"A handler needs a {type}, but its request has no services. Run the server in a host (services.AddCoapServer), set "
            + "CoapRequestContext.Services in a filter, or make the parameter nullable.");

    private static bool TryGetValue(ReadOnlySpan<byte> argument, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        bool isNamed = argument.StartsWith(name) && (argument.Length == name.Length || argument[name.Length] == (byte)'=');
        value = isNamed && argument.Length > name.Length ? argument[(name.Length + 1)..] : default;
        return isNamed;
    }
}
