using System.Globalization;
using System.Text;
using System.Text.Json;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>Converts a payload from the editor to bytes.</summary>
internal static class EditorPayloadEncoder
{
    /// <summary>Converts a payload.</summary>
    /// <param name="payload">The payload; null for none.</param>
    /// <param name="contentFormat">The Content-Format of the request, which decides whether SenML becomes CBOR; null for none.</param>
    /// <param name="maxSize">The maximum number of bytes.</param>
    /// <exception cref="ExplorerException">The payload does not match its kind, or is too large.</exception>
    public static byte[]? Read(EditorPayload? payload, CoapContentFormat? contentFormat, int maxSize)
    {
        string text = payload?.Value ?? "";
        byte[]? bytes = payload?.Kind switch
        {
            null => null,
            "text" => Encoding.UTF8.GetBytes(text),
            "json" => Json(text),
            "senml" => Senml(text, contentFormat),
            "cbor" => Cbor(text, maxSize),
            "hex" => ExplorerRequestFactory.HexOf(text)
                ?? throw ExplorerException.Bad("Not hexadecimal", "Write two hexadecimal digits for each byte."),
            "base64" => Base64(text),
            _ => throw ExplorerException.Bad("No such payload", "A payload is text, json, senml, cbor, hex, base64 or a file."),
        };
        return bytes is null || bytes.Length <= maxSize
            ? bytes
            : throw ExplorerException.Bad(
                "Too large", string.Create(CultureInfo.InvariantCulture, $"The payload has more than {maxSize:N0} bytes."));
    }

    private static byte[] Json(string text)
    {
        try
        {
            using JsonDocument document = JsonDocument.Parse(text);
            return Encoding.UTF8.GetBytes(text);
        }
        catch (JsonException exception)
        {
            throw ExplorerException.Bad("Not JSON", exception.Message);
        }
    }

    // Edited as JSON; sent in the Content-Format.
    private static byte[] Senml(string text, CoapContentFormat? contentFormat)
    {
        byte[] json = Json(text);
        if (!CoapSenmlPack.TryParse(json, CoapContentFormat.SenmlJson, out CoapSenmlPack? pack, out CoapContentSyntaxError error))
        {
            throw ExplorerException.Bad(
                "Not SenML", error.Message, "Write a JSON array of records, such as [{\"n\":\"temp\",\"v\":21.5}].");
        }

        return contentFormat is { IsCbor: true } format ? pack.ToBytes(format) : json;
    }

    private static byte[] Cbor(string text, int maxSize) =>
        CoapCborNotation.TryParse(text, out byte[] cbor, out CoapContentSyntaxError error, maxSize: maxSize)
        ? cbor
        : throw ExplorerException.Bad(
            "Not CBOR notation", string.Create(CultureInfo.InvariantCulture, $"At character {error.Offset}: {error.Message}"),
            "Write diagnostic notation (RFC 8949 section 8), such as {1: \"a\", 2: h'0102'}, or JSON.");

    private static byte[] Base64(string text)
    {
        try
        {
            return Convert.FromBase64String(text);
        }
        catch (FormatException)
        {
            throw ExplorerException.Bad("Not base64", "The file is not readable.");
        }
    }
}
