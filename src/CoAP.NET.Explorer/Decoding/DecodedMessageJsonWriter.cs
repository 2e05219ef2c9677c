using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;
using CoAP.NET.Content;

namespace CoAP.NET.Explorer.Decoding;

/// <summary>Decoded messages as JSON. Scripts depend on the names: they are stable, and new ones may be added.</summary>
internal static class DecodedMessageJsonWriter
{
    public static JsonObject Add(JsonObject json, DecodedMessage message)
    {
        json["format"] = DecodedMessage.NameOf(message.Format);
        json["size"] = message.Bytes.Length;
        json.AddKnown("type", message.Type is { } type ? DecodedMessage.ShortNameOf(type) : null);
        if (message.Code is { } code)
        {
            json["code"] = string.Create(CultureInfo.InvariantCulture, $"{code.Class}.{code.Detail:00}");
            json["name"] = code.Name;
        }

        json.AddKnown("messageId", message.MessageId);
        json.AddKnown("token", message.Token is { } token ? Convert.ToHexStringLower(token) : null);
        json["options"] = message.Options.ToJson(option => OptionOf(option, message.Code is { IsSignalling: false }));
        AddPayload(json, message);
        json["remarks"] = message.Remarks.ToJson();
        if (message.Fault is { } fault)
        {
            json["error"] = new JsonObject
            {
                ["offset"] = fault.Offset,
                ["rule"] = fault.Rule.ToString(),
                ["message"] = fault.Text,
                ["reference"] = fault.Reference,
            };
        }

        json.AddKnown("decrypted", message.Decrypted is { } decrypted ? Add([], decrypted) : null);
        return json;
    }

    private static JsonObject OptionOf(DecodedOption option, bool hasClass)
    {
        JsonObject json = new()
        {
            ["offset"] = option.Offset,
            ["number"] = option.Number,
            ["name"] = option.Name,
            ["delta"] = option.Delta,
            ["length"] = option.Value.Length,
            ["critical"] = OptionNumber.IsCritical(option.Number),
        };
        if (hasClass)
        {
            json["unsafe"] = OptionNumber.IsUnsafe(option.Number);
            json["noCacheKey"] = OptionNumber.IsNoCacheKey(option.Number);
        }

        json["value"] = option.Text;
        json["hex"] = Convert.ToHexStringLower(option.Value);
        json.AddKnown("remark", option.Remark);
        return json;
    }

    private static void AddPayload(JsonObject json, DecodedMessage message)
    {
        if (message.ContentFormat is { } format)
        {
            json["contentFormat"] = format.Value;
            json["mediaType"] = format.MediaType;
        }

        json.AddKnown("part", message.Part);
        ReadOnlySpan<byte> payload = message.Payload.Span;
        json["length"] = payload.Length;
        if (payload.IsEmpty)
        {
            return;
        }

        if (TextSanitizer.IsText(payload, message.ContentFormat))
        {
            json["payload"] = Encoding.UTF8.GetString(payload);
        }
        else
        {
            json["payloadBase64"] = ByteArrayJsonContext.Of(payload.ToArray());
        }
    }
}
