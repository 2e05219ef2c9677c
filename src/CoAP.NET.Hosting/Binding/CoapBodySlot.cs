using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using System.Text.Unicode;

namespace CoAP.NET.Binding;

/// <summary>A parameter that gets the body. For generated code.</summary>
/// <typeparam name="T">The type of the parameter.</typeparam>
[EditorBrowsable(EditorBrowsableState.Never)]
public sealed class CoapBodySlot<T> : IJsonSlot
{
    private readonly CoapBoundRoute _route;
    private readonly string _name;
    private readonly bool _isOptional;
    private readonly CoapTextParser<T>? _parser;
    private JsonTypeInfo<T>? _info;

    internal CoapBodySlot(CoapBoundRoute route, string name, bool isOptional, CoapTextParser<T>? parser)
    {
        _route = route;
        _name = name;
        _isOptional = isOptional;
        _parser = parser;
    }

    Type IJsonSlot.Type => typeof(T);

    string IJsonSlot.Place => Place;

    private string Place => $"the body '{_name}'";

    bool IJsonSlot.TryPrepare(CoapJsonOptions options) => TryFind(options) || _parser is not null;

    /// <summary>Reads the body.</summary>
    /// <param name="request">The request.</param>
    /// <param name="value">The value; the default if an optional body is missing.</param>
    /// <param name="refusal">The answer if the body is invalid.</param>
    /// <returns>True if the handler can run.</returns>
    /// <exception cref="InvalidOperationException">System.Text.Json has no metadata of the type.</exception>
    public bool TryRead(CoapRequest request, out T? value, [NotNullWhen(false)] out CoapResult? refusal)
    {
        value = default;
        refusal = null;
        if (request.Payload.IsEmpty)
        {
            refusal = _isOptional ? null : CoapArguments.Lacks(request, Place);
            return _isOptional;
        }

        CoapContentFormat? format = request.ContentFormat;
        if (_parser is not null && (format is null || format == CoapContentFormat.TextPlain))
        {
            bool isText = Utf8.IsValid(request.Payload.Span) && _parser(Encoding.UTF8.GetString(request.Payload.Span), out value);
            refusal = isText ? null
                : default(T) is double or float or decimal or Half or NFloat
                ? CoapArguments.CannotReadNumber(request, Place, typeof(T).Name)
                : CoapArguments.CannotRead(request, Place, typeof(T).Name);
            return isText;
        }

        if (format is { IsJson: false, IsCbor: false })
        {
            refusal = CoapResults.Refuse(request,
                $"The body '{_name}' is read as JSON or CBOR{(_parser is null ? string.Empty : " or text")}; this is {format}.",
                CoapCode.UnsupportedContentFormat);
            return false;
        }

        if (_info is null && !TryFind(_route.FindOptions(request.Services)))
        {
            throw new InvalidOperationException(_route.LacksMetadata(this));
        }

        return TryReadValue(request, format is { IsCbor: true }, _info!, out value, out refusal);
    }

    // Only malformed bodies cost an exception: System.Text.Json has no other way to report them.
    private bool TryReadValue(CoapRequest request, bool isCbor, JsonTypeInfo<T> info, out T? value,
        [NotNullWhen(false)] out CoapResult? refusal)
    {
        value = default;
        refusal = null;
        try
        {
            value = isCbor ? request.ReadCbor(info) : JsonSerializer.Deserialize(request.Payload.Span, info);
        }
        catch (JsonException exception)
        {
            // The message may contain input from the peer; the position does not.
            refusal = CoapResults.Refuse(request, $"The body '{_name}' is no JSON of the right form{Where(exception)}.");
            return false;
        }
        catch (CoapContentException exception)
        {
            // The position of a JSON error does not apply to the CBOR.
            refusal = exception.InnerException is JsonException
                ? CoapResults.Refuse(request, $"The body '{_name}' is no CBOR of the right form.")
                : CoapResults.Refuse(request, $"The body '{_name}' cannot be read. {exception.Message}");
            return false;
        }

        if (value is null && !_isOptional)
        {
            refusal = CoapArguments.Lacks(request, Place);
            return false;
        }

        return true;
    }

    private static string Where(JsonException exception) =>
        exception is { LineNumber: { } line, BytePositionInLine: { } position }
            ? FormattableString.Invariant($" (line {line + 1}, byte {position + 1})")
            : string.Empty;

    private bool TryFind(CoapJsonOptions options) => _info is not null || JsonMetadata.TryFind(options, out _info);
}
