using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization.Metadata;
using CoAP.NET.Content;

namespace CoAP.NET.Binding;

/// <summary>The result of a handler, as JSON, as CBOR, or by a formatter of the application.</summary>
internal abstract class HandlerResultWriter
{
    /// <summary>Lists the Content-Formats to declare for the route.</summary>
    /// <param name="options">The options of the route, as far as they are known.</param>
    public abstract CoapContentFormat[] ListFormats(CoapJsonOptions options);
}

/// <inheritdoc/>
internal sealed class HandlerResultWriter<T>(CoapHandlerBinding route) : HandlerResultWriter, ISerializedParameterOrResult
{
    private PreparedFormatters? _prepared;

    public Type Type => typeof(T);

    public string Place => "what the handler returns";

    private CoapContentFormat[] BuiltIn => route.Cbor is null ? [CoapContentFormat.Json] : [CoapContentFormat.Json, CoapContentFormat.Cbor];

    public override CoapContentFormat[] ListFormats(CoapJsonOptions options)
    {
        IEnumerable<ICoapFormatter> writers = _prepared?.Writers ?? options.Formatters.Where(static one => one.CanWrite(typeof(T)));
        return [.. (_prepared is { Info: null } ? [] : BuiltIn).Union(writers.Select(static writer => writer.Format))];
    }

    public bool TryPrepare(CoapJsonOptions options, [NotNullWhen(false)] out string? problem)
    {
        problem = null;
        if (_prepared is not null)
        {
            return true;
        }

        // The type of a result that is declared as object is known only with the value.
        ICoapFormatter[] writers = [];
        if (typeof(T) != typeof(object) && !FormatterLookup.TryFindWriters(options, typeof(T), out writers, out string? ambiguity))
        {
            problem = $"{route}: {ambiguity}";
            return false;
        }

        if (!JsonMetadata.TryFind(options.SerializerOptions, out JsonTypeInfo<T>? info) && writers.Length == 0)
        {
            problem = route.LacksMetadata(this);
            return false;
        }

        bool prefersCbor = info is not null && options.PreferredFormat == CoapContentFormat.Cbor;
        if (prefersCbor && route.Cbor is null)
        {
            problem = $"{route}: {Place} is preferred as CBOR, which needs the package CoAP.NET.Content. Reference it in the project that "
                + "maps the route.";
            return false;
        }

        CoapContentFormat[] builtIn = info is null ? [] : prefersCbor ? [CoapContentFormat.Cbor, CoapContentFormat.Json] : BuiltIn;
        _prepared = new PreparedFormatters(info, writers, [.. builtIn.Union(writers.Select(static writer => writer.Format))], options);
        route.DeclareFormats(options);
        return true;
    }

    public CoapResult ToResult(CoapRequestContext request, T value)
    {
        if (value is null)
        {
            return CoapResults.NotFound();
        }

        if (typeof(T) == typeof(object) && Known(request, value) is { } known)
        {
            return known;
        }

        if (_prepared is null && !TryPrepare(route.FindOptions(request.Services), out string? problem))
        {
            throw new InvalidOperationException(problem);
        }

        PreparedFormatters prepared = _prepared!;
        Type type = typeof(T);
        if (type == typeof(object) && prepared.Options.Formatters.Count > 0)
        {
            type = value.GetType();
            prepared = ForType(type, prepared);
        }

        if (request.SelectFormat(prepared.Formats) is not { } format)
        {
            return CoapResults.NotAcceptable();
        }

        foreach (ICoapFormatter writer in prepared.Writers)
        {
            if (writer.Format == format)
            {
                return CoapHandlerResultConverter.FromContent(request, new CoapContent(writer.Write(value, type), format));
            }
        }

        return CoapHandlerResultConverter.FromContent(
            request, format == CoapContentFormat.Cbor ? route.Cbor!.Write(value, prepared.Info!) : CoapContent.Json(value, prepared.Info!));
    }

    private PreparedFormatters ForType(Type type, PreparedFormatters prepared) =>
        FormatterLookup.TryFindWriters(prepared.Options, type, out ICoapFormatter[] writers, out string? ambiguity)
            ? prepared with
            {
                Writers = writers,
                Formats = [.. prepared.Formats.Union(writers.Select(static writer => writer.Format))],
            }
            : throw new InvalidOperationException($"{route}: {ambiguity}");

    // Several kinds of results of a handler may only have object in common.
    private static CoapResult? Known(CoapRequestContext request, object value) => value switch
    {
        CoapResult result => result,
        CoapContent content => CoapHandlerResultConverter.FromContent(request, content),
        string text => CoapHandlerResultConverter.FromText(request, text),
        byte[] bytes => CoapHandlerResultConverter.FromBytes(request, bytes),
        _ => null,
    };

    private sealed record PreparedFormatters(
        JsonTypeInfo<T>? Info, ICoapFormatter[] Writers, CoapContentFormat[] Formats, CoapJsonOptions Options);
}
