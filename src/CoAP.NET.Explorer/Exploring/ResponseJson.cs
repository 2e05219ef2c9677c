using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.Json;
using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Options;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Writes responses for the page, which shows everything as text.</summary>
internal static class ResponseJson
{
    // A user reads no more; a larger body is shown as bytes.
    private const int MostRendered = 1024 * 1024;

    private const int NotationWidth = 80;

    /// <summary>Writes the properties of a response into the current object.</summary>
    /// <param name="json">The writer.</param>
    /// <param name="response">The response.</param>
    /// <param name="body">Its body, which may have been received separately.</param>
    /// <param name="elapsed">The latency; null if it was not requested.</param>
    /// <param name="retransmissions">The number of retransmissions of the request.</param>
    /// <param name="now">The base of relative times in SenML.</param>
    public static void Write(Utf8JsonWriter json, CoapResponse response, ReadOnlyMemory<byte> body, TimeSpan? elapsed, int retransmissions,
        DateTimeOffset now)
    {
        string code = response.Code.ToString();
        json.WriteString("code", code[..4]);
        json.WriteString("name", code.Length > 5 ? code[5..] : null);
        json.WriteBoolean("success", response.IsSuccess);
        if (elapsed is { } time)
        {
            json.WriteNumber("elapsedMs", Math.Round(time.TotalMilliseconds, 3));
        }

        json.WriteNumber("retransmissions", retransmissions);
        json.WriteString("peer", response.Remote.ToString());
        if (response.Options.Observe is { } observe)
        {
            json.WriteNumber("observe", observe);
        }

        WriteOptions(json, response.Options);
        if (response.ContentFormat is { } format)
        {
            json.WriteNumber("contentFormat", format.Value);
            json.WriteString("mediaType", format.MediaType);
        }

        WritePayload(json, response, body, now);
    }

    private static void WriteOptions(Utf8JsonWriter json, CoapOptionCollection options)
    {
        json.WriteStartArray("options");
        foreach (CoapOption option in options)
        {
            json.WriteStartObject();
            json.WriteNumber("number", option.Number);
            json.WriteString("name", option.Name);
            string text = option.ToString()!;
            json.WriteString("value", text.Length > option.Name.Length + 2 ? text[(option.Name.Length + 2)..] : "");
            json.WriteString("hex", Convert.ToHexStringLower(option.ToValueArray()));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WritePayload(Utf8JsonWriter json, CoapResponse response, ReadOnlyMemory<byte> body, DateTimeOffset now)
    {
        ReadOnlySpan<byte> payload = body.Span;
        json.WriteStartObject("payload");
        json.WriteNumber("length", payload.Length);
        json.WriteBase64String("base64", payload);
        if (payload.Length is > 0 and <= MostRendered)
        {
            CoapContentFormat? format = response.ContentFormat;
            if (SafeText.IsText(payload, format))
            {
                json.WriteString("text", Encoding.UTF8.GetString(payload));
            }

            if (format is { IsCbor: true })
            {
                WriteCbor(json, payload, format.Value);
            }
            else if (format is { IsJson: true } && TryReadJson(body, out JsonDocument? document))
            {
                json.WriteString("json", Indented(document));
                document.Dispose();
            }

            WriteSenml(json, payload, format, now);
            WriteProblem(json, payload, format);
        }

        json.WriteEndObject();
    }

    private static void WriteCbor(Utf8JsonWriter json, ReadOnlySpan<byte> payload, CoapContentFormat format)
    {
        bool isSequence = format == CoapContentFormat.CborSequence;
        if (CoapCborNotation.TryFormat(payload, out string notation, out _, NotationWidth, isSequence))
        {
            json.WriteString("notation", notation);
        }

        if (!isSequence)
        {
            try
            {
                using JsonDocument document = JsonDocument.Parse(CoapCborJson.ToJson(payload, 4 * MostRendered));
                json.WriteString("json", Indented(document));
            }
            catch (Exception exception) when (exception is CoapContentException or JsonException)
            {
                // Not everything has a counterpart in JSON; the diagnostic notation is complete.
            }
        }
    }

    private static void WriteSenml(Utf8JsonWriter json, ReadOnlySpan<byte> payload, CoapContentFormat? format, DateTimeOffset now)
    {
        if (format is not { } known
            || (known != CoapContentFormat.SenmlJson && known != CoapContentFormat.SenmlCbor)
            || !CoapSenmlPack.TryParse(payload, known, out CoapSenmlPack? pack, out _))
        {
            return;
        }

        json.WriteStartArray("senml");
        foreach (CoapSenmlRecord record in pack.Resolve(now))
        {
            json.WriteStartObject();
            json.WriteString("name", record.Name);
            json.WriteString("unit", record.Unit);
            json.WritePropertyName("value");
            WriteValue(json, record);
            json.WriteString("time", record.Timestamp?.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture));
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteValue(Utf8JsonWriter json, CoapSenmlRecord record)
    {
        if (record.Value is { } number && double.IsFinite(number))
        {
            json.WriteNumberValue(number);
        }
        else if (record.BooleanValue is { } boolean)
        {
            json.WriteBooleanValue(boolean);
        }
        else if (record.StringValue is { } text)
        {
            json.WriteStringValue(text);
        }
        else if (record.DataValue is { } data)
        {
            json.WriteStringValue("0x" + Convert.ToHexStringLower(data.Span));
        }
        else if (record.Sum is { } sum && double.IsFinite(sum))
        {
            json.WriteNumberValue(sum);
        }
        else
        {
            json.WriteNullValue();
        }
    }

    private static void WriteProblem(Utf8JsonWriter json, ReadOnlySpan<byte> payload, CoapContentFormat? format)
    {
        if (format == CoapContentFormat.ConciseProblemDetails && CoapProblem.TryParse(payload, out CoapProblem? problem, out _))
        {
            json.WriteStartObject("problem");
            json.WriteString("title", problem.Title?.ToString());
            json.WriteString("detail", problem.Detail?.ToString());
            json.WriteEndObject();
        }
    }

    private static bool TryReadJson(ReadOnlyMemory<byte> payload, [NotNullWhen(true)] out JsonDocument? document)
    {
        try
        {
            document = JsonDocument.Parse(payload);
            return true;
        }
        catch (JsonException)
        {
            document = null;
            return false;
        }
    }

    private static string Indented(JsonDocument document)
    {
        using MemoryStream bytes = new();
        using (Utf8JsonWriter writer = new(bytes, new JsonWriterOptions { Indented = true }))
        {
            document.WriteTo(writer);
        }

        return Encoding.UTF8.GetString(bytes.GetBuffer().AsSpan(0, (int)bytes.Length));
    }
}
