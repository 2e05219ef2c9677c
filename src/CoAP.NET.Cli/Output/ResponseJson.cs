using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Text;
using System.Text.Json;
using CoAP.NET.Options;

namespace CoAP.NET.Cli.Output;

/// <summary>Responses as JSON objects, one per line. Scripts depend on the names: they stay, and new ones may come.</summary>
internal static class ResponseJson
{
    /// <summary>Writes a response.</summary>
    /// <param name="response">The response.</param>
    /// <param name="about">Facts about it.</param>
    /// <param name="output">The destination.</param>
    public static void Write(CoapResponse response, ResponseFacts about, CliOutput output)
    {
        output.WriteJson(json =>
        {
            json.WriteStartObject();
            json.WriteString("time", about.Time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture));
            json.WriteString("method", about.Method);
            json.WriteString("uri", about.Uri);
            json.WriteString("peer", response.Remote.ToString());
            if (response.IsNone)
            {
                json.WriteNull("code");
            }
            else
            {
                json.WriteString("code", response.Code.ToString()[..4]);
                json.WriteString("name", response.Code.ToString() is { Length: > 5 } text ? text[5..] : null);
                json.WriteBoolean("success", response.IsSuccess);
            }

            json.WriteNumber("elapsedMs", Math.Round(about.Elapsed.TotalMilliseconds, 3));
            json.WriteNumber("retransmissions", about.Retransmissions);
            if (!response.IsNone)
            {
                WriteOptions(json, response);
                WritePayload(json, response, about.FilePath);
            }

            json.WriteEndObject();
        });
    }

    private static void WriteOptions(Utf8JsonWriter json, CoapResponse response)
    {
        CoapOptionCollection options = response.Options;
        if (response.ContentFormat is { } format)
        {
            json.WriteNumber("contentFormat", format.Value);
            json.WriteString("mediaType", format.MediaType);
        }

        if (options.ETag is { } etag)
        {
            json.WriteString("etag", Convert.ToHexStringLower(etag.Span));
        }

        if (options.Contains(OptionNumber.MaxAge))
        {
            json.WriteNumber("maxAge", (long)response.MaxAge.TotalSeconds);
        }

        if (options.Location is { } location)
        {
            json.WriteString("location", location);
        }

        if (options.Observe is { } observe)
        {
            json.WriteNumber("observe", observe);
        }

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

    private static void WritePayload(Utf8JsonWriter json, CoapResponse response, string? filePath)
    {
        if (filePath is not null && response.Payload.IsEmpty)
        {
            json.WriteString("file", filePath);
            return;
        }

        ReadOnlySpan<byte> payload = response.Payload.Span;
        json.WriteNumber("length", payload.Length);
        if (payload.IsEmpty)
        {
            return;
        }

        if (response.ContentFormat is { IsJson: true } && TryParse(response.Payload, out JsonDocument? document))
        {
            json.WritePropertyName("payload");
            document.WriteTo(json);
            document.Dispose();
        }
        else if (SafeText.IsText(payload, response.ContentFormat))
        {
            json.WriteString("payload", Encoding.UTF8.GetString(payload));
        }
        else
        {
            json.WriteBase64String("payloadBase64", payload);
            if (response.ContentFormat?.MediaType?.EndsWith("cbor", StringComparison.Ordinal) == true
                && CoapCborNotation.TryFormat(payload, out string diagnostic, out _))
            {
                json.WriteString("cbor", diagnostic);
            }
        }
    }

    private static bool TryParse(ReadOnlyMemory<byte> payload, [NotNullWhen(true)] out JsonDocument? document)
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
}
