using System.Text.Json.Serialization.Metadata;

namespace CoAP.NET.Binding;

/// <summary>The result of a handler, as JSON or CBOR.</summary>
internal sealed class AnswerSlot<T>(CoapBoundRoute route) : IJsonSlot
{
    private Prepared? _prepared;

    public Type Type => typeof(T);

    public string Place => "what the handler returns";

    public bool TryPrepare(CoapJsonOptions options)
    {
        if (_prepared is null && JsonMetadata.TryFind(options, out JsonTypeInfo<T>? info))
        {
            _prepared = new Prepared(info,
                options.PreferredFormat == CoapContentFormat.Cbor
                    ? [CoapContentFormat.Cbor, CoapContentFormat.Json]
                    : [CoapContentFormat.Json, CoapContentFormat.Cbor]);
        }

        return _prepared is not null;
    }

    public CoapResult ToResult(CoapRequest request, T value)
    {
        if (value is null)
        {
            return CoapResults.NotFound();
        }

        if (typeof(T) == typeof(object) && Known(request, value) is { } known)
        {
            return known;
        }

        if (_prepared is null && !TryPrepare(route.FindOptions(request.Services)))
        {
            throw new InvalidOperationException(route.LacksMetadata(this));
        }

        (JsonTypeInfo<T> info, CoapContentFormat[] formats) = _prepared!;
        CoapContentFormat? format = request.SelectFormat(formats);
        return format is null
            ? CoapResults.NotAcceptable()
            : CoapAnswers.FromContent(request,
                format == CoapContentFormat.Cbor ? CoapContent.Cbor(value, info) : CoapContent.Json(value, info));
    }

    // Several kinds of results of a handler may only have object in common.
    private static CoapResult? Known(CoapRequest request, object value) => value switch
    {
        CoapResult result => result,
        CoapContent content => CoapAnswers.FromContent(request, content),
        string text => CoapAnswers.FromText(request, text),
        byte[] bytes => CoapAnswers.FromBytes(request, bytes),
        _ => null,
    };

    private sealed record Prepared(JsonTypeInfo<T> Info, CoapContentFormat[] Formats);
}
