using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Text.Unicode;
using CoAP.NET.Content;
using Microsoft.Extensions.DependencyInjection;

namespace CoAP.NET.Binding;

/// <summary>A parameter that gets the body. For generated code.</summary>
/// <typeparam name="T">The type of the parameter.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CoapBodyParameter<T> : ISerializedParameterOrResult
{
    private readonly CoapHandlerBinding _route;
    private readonly string _name;
    private readonly bool _isOptional;
    private readonly CoapParser<string, T>? _parser;
    private PreparedReaders? _prepared;

    // Null until the first lookup. All requests of a route have the same container.
    private volatile object? _isService;

    internal CoapBodyParameter(CoapHandlerBinding route, string name, bool isOptional, CoapParser<string, T>? parser)
    {
        _route = route;
        _name = name;
        _isOptional = isOptional;
        _parser = parser;
    }

    Type ISerializedParameterOrResult.Type => typeof(T);

    string ISerializedParameterOrResult.Place => Place;

    /// <summary>
    /// Set if the parameter gets a service when the container has one of its type, and otherwise the body; null if it always gets the body.
    /// </summary>
    internal ServiceOrBodyParameter? Parameter { get; set; }

    private string Place => $"the body '{_name}'";

    bool ISerializedParameterOrResult.TryPrepare(CoapJsonOptions options, [NotNullWhen(false)] out string? problem) =>
        TryPrepare(options, out problem);

    /// <summary>Reads the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="value">The value; the default if an optional body is missing.</param>
    /// <param name="refusal">The answer if the body is invalid.</param>
    /// <returns>True if the handler can run.</returns>
    /// <exception cref="InvalidOperationException">
    /// The type has neither metadata of System.Text.Json nor a formatter, or has two formatters for one Content-Format.
    /// </exception>
    public bool TryRead(CoapRequestContext request, out T? value, [NotNullWhen(false)] out CoapResult? refusal)
    {
        value = default;
        refusal = null;
        if (IsService(request))
        {
            return true;
        }

        if (request.Payload.IsEmpty)
        {
            refusal = _isOptional ? null : CoapHandlerArgumentBinder.Lacks(request, Place);
            return _isOptional;
        }

        if (_prepared is null && !TryPrepare(_route.FindOptions(request.Services), out string? problem))
        {
            throw new InvalidOperationException(problem);
        }

        CoapContentFormat? format = request.ContentFormat;
        foreach (ICoapFormatter formatter in _prepared!.Readers)
        {
            if (formatter.Format == format)
            {
                return TryFormat(request, formatter, out value, out refusal);
            }
        }

        if (_parser is not null && (format is null || format == CoapContentFormat.TextPlain))
        {
            bool isText = Utf8.IsValid(request.Payload.Span) && _parser(Encoding.UTF8.GetString(request.Payload.Span), out value);
            refusal = isText ? null
                : default(T) is double or float or decimal or Half or NFloat
                ? CoapHandlerArgumentBinder.CannotReadNumber(request, Place, typeof(T).Name)
                : CoapHandlerArgumentBinder.CannotRead(request, Place, typeof(T).Name);
            return isText;
        }

        if (_prepared.Info is not { } info || format is { IsJson: false } && !(format is { IsCbor: true } && _route.Cbor is not null))
        {
            refusal = CoapResults.Refuse(request,
                $"The body '{_name}' is read as {DescribeFormats(_prepared)}; this {(format is null ? "has no format" : $"is {format}")}.",
                CoapCode.UnsupportedContentFormat);
            return false;
        }

        return TryReadValue(request, format is { IsCbor: true }, info, out value, out refusal);
    }

    /// <summary>Returns the argument of the handler: the service, or the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="body">The body from <see cref="TryRead"/>.</param>
    /// <returns>The service or the body; null for a missing optional body.</returns>
    public T? Value(CoapRequestContext request, T? body)
    {
        if (!IsService(request))
        {
            return body;
        }

        object? service = _isOptional
            ? request.Services?.GetService(typeof(T))
            : CoapHandlerArgumentBinder.Services(request, typeof(T)).GetRequiredService(typeof(T));
        return (T?)service;
    }

    private bool IsService(CoapRequestContext request)
    {
        if (Parameter is null)
        {
            return false;
        }

        if (_isService is bool known)
        {
            return known;
        }

        IServiceProvider? services = request.Services;
        bool isService = Parameter.IsService(services);
        if (!isService && _route.FindTwoBodies(services) is { } problem)
        {
            throw new InvalidOperationException(problem);
        }

        _isService = isService;
        return isService;
    }

    private bool TryPrepare(CoapJsonOptions options, [NotNullWhen(false)] out string? problem)
    {
        problem = null;
        if (_prepared is not null)
        {
            return true;
        }

        if (!FormatterLookup.TryFindReaders(options, typeof(T), out ICoapFormatter[] readers, out string? ambiguity))
        {
            problem = $"{_route}: {ambiguity}";
            return false;
        }

        if (!JsonMetadata.TryFind(options.SerializerOptions, out JsonTypeInfo<T>? info) && _parser is null && readers.Length == 0)
        {
            problem = _route.LacksMetadata(this);
            return false;
        }

        _prepared = new PreparedReaders(info, readers);
        return true;
    }

    private string DescribeFormats(PreparedReaders prepared) => string.Join(
        " or ",
        (string[])
        [
            .. prepared.Info is null ? (string[])[] : _route.Cbor is null ? ["JSON"] : ["JSON", "CBOR"],
            .. _parser is null ? (string[])[] : ["text"],
            .. prepared.Readers.Select(static formatter => formatter.Format.ToString()),
        ]);

    private bool TryFormat(CoapRequestContext request, ICoapFormatter formatter, out T? value, [NotNullWhen(false)] out CoapResult? refusal)
    {
        value = default;
        refusal = null;
        try
        {
            value = (T?)formatter.Read(request.Payload, typeof(T));
        }
        catch (Exception exception) when (exception is FormatException or CoapFormatException)
        {
            // The message may contain input from the peer.
            refusal = CoapResults.Refuse(request, $"The body '{_name}' cannot be read as {formatter.Format}.");
            return false;
        }
        catch (CoapContentException exception)
        {
            refusal = CoapResults.Refuse(request, $"The body '{_name}' cannot be read. {exception.Message}", exception.Code);
            return false;
        }

        return IsThere(request, value, out refusal);
    }

    // Only malformed bodies cost an exception: System.Text.Json has no other way to report them.
    private bool TryReadValue(CoapRequestContext request, bool isCbor, JsonTypeInfo<T> info, out T? value,
        [NotNullWhen(false)] out CoapResult? refusal)
    {
        value = default;
        refusal = null;
        try
        {
            value = isCbor ? _route.Cbor!.Read(request, info) : JsonSerializer.Deserialize(request.Payload.Span, info);
        }
        catch (JsonException exception)
        {
            // The message may contain input from the peer; the position does not.
            refusal = CoapResults.Refuse(request, $"The body '{_name}' is not JSON of the expected form{Where(exception)}.");
            return false;
        }
        catch (CoapContentException exception)
        {
            // The position of a JSON error does not apply to the CBOR.
            refusal = exception.InnerException is JsonException
                ? CoapResults.Refuse(request, $"The body '{_name}' is not CBOR of the expected form.")
                : CoapResults.Refuse(request, $"The body '{_name}' cannot be read. {exception.Message}");
            return false;
        }

        return IsThere(request, value, out refusal);
    }

    private bool IsThere(CoapRequestContext request, T? value, [NotNullWhen(false)] out CoapResult? refusal)
    {
        refusal = value is null && !_isOptional ? CoapHandlerArgumentBinder.Lacks(request, Place) : null;
        return refusal is null;
    }

    private static string Where(JsonException exception) =>
        exception is { LineNumber: { } line, BytePositionInLine: { } position }
            ? FormattableString.Invariant($" (line {line + 1}, byte {position + 1})")
            : string.Empty;

    private sealed record PreparedReaders(JsonTypeInfo<T>? Info, ICoapFormatter[] Readers);
}
