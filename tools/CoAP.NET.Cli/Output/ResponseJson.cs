using System.Globalization;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using CoAP.NET.Content;

namespace CoAP.NET.Cli.Output;

/// <summary>Responses as JSON objects, one per line. Scripts depend on the names: they stay, and new ones may come.</summary>
internal static class ResponseJson
{
    public static void Write(CoapResponse response, ResponseDetails about, CliOutput output)
    {
        JsonObject json = new()
        {
            ["time"] = about.Time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture),
            ["method"] = about.Method,
            ["uri"] = about.Uri,
            ["peer"] = response.Remote.ToString(),
            ["code"] = response.IsNone ? null : response.Code.ToString()[..4],
        };
        if (!response.IsNone)
        {
            json["name"] = response.Code.ToString() is { Length: > 5 } text ? text[5..] : null;
            json["success"] = response.IsSuccess;
        }

        json["elapsedMs"] = Math.Round(about.Elapsed.TotalMilliseconds, 3);
        json["retransmissions"] = about.Retransmissions;
        if (!response.IsNone)
        {
            AddOptions(json, response);
            AddPayload(json, response, about.FilePath);
        }

        output.WriteJson(json);
    }

    private static void AddOptions(JsonObject json, CoapResponse response)
    {
        CoapOptionCollection options = response.Options;
        if (response.ContentFormat is { } format)
        {
            json["contentFormat"] = format.Value;
            json["mediaType"] = format.MediaType;
        }

        json.AddKnown("etag", options.ETag?.ToString());
        json.AddKnown("maxAge", options.Contains(OptionNumber.MaxAge) ? (long)response.MaxAge.TotalSeconds : null);
        json.AddKnown("location", options.Location);
        json.AddKnown("observe", options.Observe);
        json["options"] = Explorer.Exploring.ResponseJson.OptionsOf(response);
    }

    private static void AddPayload(JsonObject json, CoapResponse response, string? filePath)
    {
        if (filePath is not null && response.Payload.IsEmpty)
        {
            json["file"] = filePath;
            return;
        }

        ReadOnlySpan<byte> payload = response.Payload.Span;
        json["length"] = payload.Length;
        if (payload.IsEmpty || (response.ContentFormat is { IsJson: true } && TryAddJson(json, payload)))
        {
            return;
        }

        if (TextSanitizer.IsText(payload, response.ContentFormat))
        {
            json["payload"] = Encoding.UTF8.GetString(payload);
            return;
        }

        json["payloadBase64"] = Convert.ToBase64String(payload);
        if (response.ContentFormat?.MediaType?.EndsWith("cbor", StringComparison.Ordinal) == true
            && CoapCborNotation.TryFormat(payload, out string diagnostic, out _))
        {
            json["cbor"] = diagnostic;
        }
    }

    private static bool TryAddJson(JsonObject json, ReadOnlySpan<byte> payload)
    {
        try
        {
            json["payload"] = JsonNode.Parse(payload);
            return true;
        }
        catch (JsonException)
        {
            return false;
        }
    }
}
