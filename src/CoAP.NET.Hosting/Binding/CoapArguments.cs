using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>Finds the arguments of handlers in requests. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapArguments
{
    private const int UriQuery = 15;

    /// <summary>Returns a value of the route.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in the template.</param>
    /// <returns>The value; null if the template has no such parameter.</returns>
    public static string? FromRoute(CoapRequest request, string name) => request.Route.TryGetValue(name, out string? value) ? value : null;

    /// <summary>Returns a value of the query.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <returns>The text after <c>name=</c> in the first argument with that name; empty for the name alone, and null without one.</returns>
    public static string? FromQuery(CoapRequest request, ReadOnlySpan<byte> name)
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
    public static string? FromRouteOrQuery(CoapRequest request, string name, ReadOnlySpan<byte> utf8) =>
        FromRoute(request, name) ?? FromQuery(request, utf8);

    /// <summary>Returns all values of a query argument.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <param name="parser">Reads a value.</param>
    /// <param name="values">The values in order; empty if there are none.</param>
    /// <returns>True if all are valid.</returns>
    public static bool TryGetAllFromQuery<T>(CoapRequest request, ReadOnlySpan<byte> name, CoapTextParser<T> parser, out T[] values)
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
    public static bool TryGetText(CoapRequest request, string name, bool isOptional, out string? text,
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
    public static T Service<T>(CoapRequest request)
        where T : notnull => ServicesOf(request, typeof(T)).GetRequiredService<T>();

    /// <summary>Returns an optional service of the request.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <returns>The service; null if there is none.</returns>
    public static T? OptionalService<T>(CoapRequest request)
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
    public static T KeyedService<T>(CoapRequest request, object? key)
        where T : notnull => ServicesOf(request, typeof(T)).GetRequiredKeyedService<T>(key);

    /// <summary>Returns an optional keyed service.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="key">The key.</param>
    /// <returns>The service; null if there is none.</returns>
    public static T? OptionalKeyedService<T>(CoapRequest request, object? key)
    {
        IServiceProvider? services = request.Services;
        return services is null ? default : services.GetKeyedService<T>(key);
    }

    /// <summary>Returns the service provider of the request.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The services.</returns>
    /// <exception cref="InvalidOperationException">There are none.</exception>
    public static IServiceProvider Services(CoapRequest request) => ServicesOf(request, typeof(IServiceProvider));

    /// <summary>Creates and counts the answer to a request without a required argument.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The missing argument, such as <c>the query argument 'limit'</c>.</param>
    /// <returns>4.00.</returns>
    public static CoapResult Lacks(CoapRequest request, string what) => CoapResults.Refuse(request, $"The request lacks {what}.");

    /// <summary>Creates and counts the answer to a request with an invalid argument.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The invalid argument, such as <c>the query argument 'limit'</c>.</param>
    /// <param name="type">The expected type.</param>
    /// <returns>4.00.</returns>
    public static CoapResult CannotRead(CoapRequest request, string what, string type) =>
        CoapResults.Refuse(request, $"T{what.AsSpan(1)} cannot be read as {type}.");

    /// <summary>
    /// Creates and counts the answer to a request with an argument that is not a number in the format of <see cref="CoapParsers.Number"/>.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="what">The invalid argument, such as <c>the query argument 'celsius'</c>.</param>
    /// <param name="type">The expected type.</param>
    /// <returns>4.00.</returns>
    public static CoapResult CannotReadNumber(CoapRequest request, string what, string type) =>
        CoapResults.Refuse(request,
            $"T{what.AsSpan(1)} cannot be read as {type}. Write it with a decimal point and without separators of thousands, such as "
                + "1234.5.");

    private static IServiceProvider ServicesOf(CoapRequest request, Type type) => request.Services ?? throw new InvalidOperationException(
        $"A handler needs a {type}, but its request has no services. Run the server in a host (services.AddCoapServer), set "
            + "CoapRequest.Services in a filter, or make the parameter nullable.");

    private static bool TryGetValue(ReadOnlySpan<byte> argument, ReadOnlySpan<byte> name, out ReadOnlySpan<byte> value)
    {
        bool isNamed = argument.StartsWith(name) && (argument.Length == name.Length || argument[name.Length] == (byte)'=');
        value = isNamed && argument.Length > name.Length ? argument[(name.Length + 1)..] : default;
        return isNamed;
    }
}
