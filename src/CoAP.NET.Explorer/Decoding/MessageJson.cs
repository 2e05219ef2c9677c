using System.Globalization;
using System.Text;
using System.Text.Json;
using CoAP.NET.Options;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Writes decoded messages as JSON. Scripts depend on the names: they are stable, and new ones may be added.</summary>
internal static class MessageJson
{
    /// <summary>Writes the properties of a message into the current object.</summary>
    public static void Write(Utf8JsonWriter json, DecodedMessage message)
    {
        json.WriteString("format", DecodedMessage.NameOf(message.Format));
        json.WriteNumber("size", message.Bytes.Length);
        WriteHead(json, message);
        WriteOptions(json, message);
        WritePayload(json, message);
        json.WriteStartArray("remarks");
        foreach (string remark in message.Remarks)
        {
            json.WriteStringValue(remark);
        }

        json.WriteEndArray();
        if (message.Fault is { } fault)
        {
            json.WriteStartObject("error");
            json.WriteNumber("offset", fault.Offset);
            json.WriteString("rule", fault.Rule.ToString());
            json.WriteString("message", fault.Text);
            json.WriteString("reference", fault.Reference);
            json.WriteEndObject();
        }

        if (message.Decrypted is { } decrypted)
        {
            json.WriteStartObject("decrypted");
            Write(json, decrypted);
            json.WriteEndObject();
        }
    }

    private static void WriteHead(Utf8JsonWriter json, DecodedMessage message)
    {
        if (message.Type is { } type)
        {
            json.WriteString("type", DecodedMessage.ShortNameOf(type));
        }

        if (message.Code is { } code)
        {
            json.WriteString("code", string.Create(CultureInfo.InvariantCulture, $"{code.Class}.{code.Detail:00}"));
            json.WriteString("name", code.Name);
        }

        if (message.MessageId is { } id)
        {
            json.WriteNumber("messageId", id);
        }

        if (message.Token is { } token)
        {
            json.WriteString("token", Convert.ToHexStringLower(token));
        }
    }

    private static void WriteOptions(Utf8JsonWriter json, DecodedMessage message)
    {
        json.WriteStartArray("options");
        foreach (DecodedOption option in message.Options)
        {
            json.WriteStartObject();
            json.WriteNumber("offset", option.Offset);
            json.WriteNumber("number", option.Number);
            json.WriteString("name", option.Name);
            json.WriteNumber("delta", option.Delta);
            json.WriteNumber("length", option.Value.Length);
            json.WriteBoolean("critical", OptionNumber.IsCritical(option.Number));
            if (message.Code is { IsSignalling: false })
            {
                json.WriteBoolean("unsafe", OptionNumber.IsUnsafe(option.Number));
                json.WriteBoolean("noCacheKey", OptionNumber.IsNoCacheKey(option.Number));
            }

            json.WriteString("value", option.Text);
            json.WriteString("hex", Convert.ToHexStringLower(option.Value));
            if (option.Remark is { } remark)
            {
                json.WriteString("remark", remark);
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WritePayload(Utf8JsonWriter json, DecodedMessage message)
    {
        if (message.ContentFormat is { } format)
        {
            json.WriteNumber("contentFormat", format.Value);
            json.WriteString("mediaType", format.MediaType);
        }

        if (message.Part is { } part)
        {
            json.WriteString("part", part);
        }

        ReadOnlySpan<byte> payload = message.Payload.Span;
        json.WriteNumber("length", payload.Length);
        if (payload.IsEmpty)
        {
            return;
        }

        if (SafeText.IsText(payload, message.ContentFormat))
        {
            json.WriteString("payload", Encoding.UTF8.GetString(payload));
        }
        else
        {
            json.WriteBase64String("payloadBase64", payload);
        }
    }
}
