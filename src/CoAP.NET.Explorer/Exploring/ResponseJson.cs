using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using CoAP.NET.Content;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Responses for the page, which shows everything as text.</summary>
internal static class ResponseJson
{
    // A user reads no more; a larger body is shown as bytes.
    private const int MostRendered = 1024 * 1024;

    private const int NotationWidth = 80;

    private static readonly JsonWriterOptions s_indented = new() { Indented = true };

    /// <summary>Adds the properties of a response to an object, and returns it.</summary>
    /// <param name="json">The object.</param>
    /// <param name="response">The response.</param>
    /// <param name="body">Its body, which may have been received separately.</param>
    /// <param name="elapsed">The latency; null if it was not requested.</param>
    /// <param name="retransmissions">The number of retransmissions of the request.</param>
    /// <param name="now">The base of relative times in SenML.</param>
    public static JsonObject Add(JsonObject json, CoapResponse response, ReadOnlyMemory<byte> body, TimeSpan? elapsed,
        int retransmissions, DateTimeOffset now)
    {
        string code = response.Code.ToString();
        json["code"] = code[..4];
        json["name"] = code.Length > 5 ? code[5..] : null;
        json["success"] = response.IsSuccess;
        json.AddKnown("elapsedMs", elapsed is { } time ? Math.Round(time.TotalMilliseconds, 3) : null);
        json["retransmissions"] = retransmissions;
        json["peer"] = response.Remote.ToString();
        json.AddKnown("observe", response.Options.Observe);
        json["options"] = OptionsOf(response);
        if (response.ContentFormat is { } format)
        {
            json["contentFormat"] = format.Value;
            json["mediaType"] = format.MediaType;
        }

        json["payload"] = PayloadOf(response.ContentFormat, body, now);
        return json;
    }

    public static JsonArray OptionsOf(CoapResponse response) => response.Options.ToJson(static option =>
    {
        string text = option.ToString()!;
        return new JsonObject
        {
            ["number"] = option.Number,
            ["name"] = option.Name,
            ["value"] = text.Length > option.Name.Length + 2 ? text[(option.Name.Length + 2)..] : "",
            ["hex"] = Convert.ToHexStringLower(option.ToValueArray()),
        };
    });

    private static JsonObject PayloadOf(CoapContentFormat? format, ReadOnlyMemory<byte> body, DateTimeOffset now)
    {
        ReadOnlySpan<byte> payload = body.Span;
        JsonObject json = new() { ["length"] = payload.Length, ["base64"] = ByteArrayJsonContext.Of(body.ToArray()) };
        if (payload.Length is 0 or > MostRendered)
        {
            return json;
        }

        if (TextSanitizer.IsText(payload, format))
        {
            json["text"] = Encoding.UTF8.GetString(payload);
        }

        if (format is { IsCbor: true } cbor)
        {
            bool isSequence = cbor == CoapContentFormat.CborSequence;
            if (CoapCborNotation.TryFormat(payload, out string notation, out _, NotationWidth, isSequence))
            {
                json["notation"] = notation;
            }

            json.AddKnown("json", isSequence ? null : Indented(body, isCbor: true));
        }
        else if (format is { IsJson: true })
        {
            json.AddKnown("json", Indented(body, isCbor: false));
        }

        if (format is { } known && (known == CoapContentFormat.SenmlJson || known == CoapContentFormat.SenmlCbor)
            && CoapSenmlPack.TryParse(payload, known, out CoapSenmlPack? pack, out _))
        {
            json["senml"] = pack.Resolve(now).ToJson(static record => new JsonObject
            {
                ["name"] = record.Name,
                ["unit"] = record.Unit,
                ["value"] = ValueOf(record),
                ["time"] = record.Timestamp?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture),
            });
        }

        if (format == CoapContentFormat.ConciseProblemDetails && CoapProblem.TryParse(payload, out CoapProblem? problem, out _))
        {
            json["problem"] = new JsonObject { ["title"] = problem.Title, ["detail"] = problem.Detail };
        }

        return json;
    }

    private static JsonNode? ValueOf(CoapSenmlRecord record) =>
        record.Value is { } number && double.IsFinite(number) ? number
        : record.BooleanValue is { } boolean ? boolean
        : record.StringValue is { } text ? text
        : record.DataValue is { } data ? "0x" + Convert.ToHexStringLower(data.Span)
        : record.Sum is { } sum && double.IsFinite(sum) ? sum
        : null;

    // Null if it is not valid, or has no counterpart in JSON; the diagnostic notation is complete.
    private static string? Indented(ReadOnlyMemory<byte> payload, bool isCbor)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(isCbor ? CoapCborJson.ToJson(payload.Span, 4 * MostRendered) : payload);
            using MemoryStream bytes = new();
            using (Utf8JsonWriter writer = new(bytes, s_indented))
            {
                document.WriteTo(writer);
            }

            return Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
        }
        catch (Exception exception) when (exception is CoapContentException or JsonException)
        {
            return null;
        }
    }
}
