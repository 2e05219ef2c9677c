using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Unicode;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>Finds in requests what handlers take as parameters. For generated code.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class CoapArguments
{
    private const int UriQuery = 15;

    /// <summary>A value of the route.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in the template.</param>
    /// <returns>The value; null when the template has no such parameter.</returns>
    public static string? FromRoute(CoapRequest request, string name) => request.Route.TryGetValue(name, out string? value) ? value : null;

    /// <summary>A value of the query.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <returns>What follows <c>name=</c> in the first argument of that name; empty for the name alone, and null without one.</returns>
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

    /// <summary>A value of the route, which may have it from the prefix of a group; otherwise of the query.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name.</param>
    /// <param name="utf8">The same in UTF-8.</param>
    /// <returns>The value; null when there is none.</returns>
    public static string? FromRouteOrQuery(CoapRequest request, string name, ReadOnlySpan<byte> utf8) =>
        FromRoute(request, name) ?? FromQuery(request, utf8);

    /// <summary>All values of an argument of the query.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="name">The name in UTF-8.</param>
    /// <param name="parser">Reads a value.</param>
    /// <param name="values">The values in order; empty when there are none.</param>
    /// <returns>Whether all could be read.</returns>
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

    /// <summary>The body as text in UTF-8.</summary>
    /// <param name="request">The request.</param>
    /// <param name="name">The name of the parameter.</param>
    /// <param name="isOptional">Whether the payload may be missing.</param>
    /// <param name="text">The text; null for an optional one that is missing.</param>
    /// <param name="refusal">The answer when there is none.</param>
    /// <returns>Whether the handler can be called.</returns>
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

    /// <summary>A service of the request.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <returns>The service.</returns>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static T Service<T>(CoapRequest request)
        where T : notnull => ServicesOf(request, typeof(T)).GetRequiredService<T>();

    /// <summary>A service of the request that may be missing.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <returns>The service; null when there is none.</returns>
    public static T? OptionalService<T>(CoapRequest request)
    {
        IServiceProvider? services = request.Services;
        return services is null ? default : services.GetService<T>();
    }

    /// <summary>A service with a key.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="key">The key.</param>
    /// <returns>The service.</returns>
    /// <exception cref="InvalidOperationException">There is none.</exception>
    public static T KeyedService<T>(CoapRequest request, object? key)
        where T : notnull => ServicesOf(request, typeof(T)).GetRequiredKeyedService<T>(key);

    /// <summary>A service with a key that may be missing.</summary>
    /// <typeparam name="T">The type of the service.</typeparam>
    /// <param name="request">The request.</param>
    /// <param name="key">The key.</param>
    /// <returns>The service; null when there is none.</returns>
    public static T? OptionalKeyedService<T>(CoapRequest request, object? key)
    {
        IServiceProvider? services = request.Services;
        return services is null ? default : services.GetKeyedService<T>(key);
    }

    /// <summary>The services of the request themselves.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The services.</returns>
    /// <exception cref="InvalidOperationException">There are none.</exception>
    public static IServiceProvider Services(CoapRequest request) => ServicesOf(request, typeof(IServiceProvider));

    /// <summary>The answer to a request that lacks an argument, counted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">What it lacks, such as <c>the query argument 'limit'</c>.</param>
    /// <returns>4.00.</returns>
    public static CoapResult Lacks(CoapRequest request, string what) => CoapResults.Refuse(request, $"The request lacks {what}.");

    /// <summary>The answer to a request with an argument that cannot be read, counted.</summary>
    /// <param name="request">The request.</param>
    /// <param name="what">What cannot be read, such as <c>the query argument 'limit'</c>.</param>
    /// <param name="type">What it should be.</param>
    /// <returns>4.00.</returns>
    public static CoapResult CannotRead(CoapRequest request, string what, string type) =>
        CoapResults.Refuse(request, $"T{what.AsSpan(1)} cannot be read as {type}.");

    /// <summary>
    /// The answer to a request with an argument that is no number of the form that <see cref="CoapParsers.Number"/> reads, counted.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="what">What cannot be read, such as <c>the query argument 'celsius'</c>.</param>
    /// <param name="type">What it should be.</param>
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
