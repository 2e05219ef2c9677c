using System.Buffers;
using System.Buffers.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Senml;

/// <summary>SenML in JSON, Content-Format 110 (RFC 8428 section 5).</summary>
internal static class SenmlJson
{
    private static readonly JsonReaderOptions s_reading = new() { MaxDepth = UntrustedCborReader.MaxDepth };
    private static readonly JsonWriterOptions s_writing = new()
    {
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
        SkipValidation = true
    };
    private static readonly SearchValues<char> s_base64Url =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

    public static byte[] Write(IReadOnlyList<CoapSenmlRecord> records)
    {
        ArrayBufferWriter<byte> bytes = new();
        using (Utf8JsonWriter writer = new(bytes, s_writing))
        {
            writer.WriteStartArray();
            foreach (CoapSenmlRecord record in records)
            {
                writer.WriteStartObject();
                foreach ((SenmlLabel label, string text) in SenmlLabels.All)
                {
                    WriteField(writer, text, label, record);
                }

                writer.WriteEndObject();
            }

            writer.WriteEndArray();
        }

        return bytes.WrittenSpan.ToArray();
    }

    public static bool TryRead(ReadOnlySpan<byte> utf8, int maxRecords, CoapSenmlProfile profile, out List<CoapSenmlRecord> records,
        out ContentFault fault)
    {
        records = [];
        Utf8JsonReader reader = new(utf8, s_reading);
        try
        {
            string? wrong = Read(ref reader, maxRecords, profile, records, out int offset);
            fault = wrong is null ? default : new ContentFault(offset, wrong);
            return wrong is null;
        }
        catch (JsonException)
        {
            fault = new ContentFault((int)reader.BytesConsumed, "the payload is not JSON");
        }
        catch (InvalidOperationException)
        {
            // A string that is not UTF-8, or half a surrogate pair.
            fault = new ContentFault((int)reader.TokenStartIndex, "the text is not valid Unicode");
        }

        return false;
    }

    private static string? Read(ref Utf8JsonReader reader, int maxRecords, CoapSenmlProfile profile, List<CoapSenmlRecord> records,
        out int offset)
    {
        offset = 0;
        SenmlState state = new(profile);
        if (!reader.Read() || reader.TokenType != JsonTokenType.StartArray)
        {
            return "a SenML Pack is an array of records";
        }

        while (reader.Read() && reader.TokenType != JsonTokenType.EndArray)
        {
            int start = offset = (int)reader.TokenStartIndex;
            if (reader.TokenType != JsonTokenType.StartObject)
            {
                return "a record is an object";
            }

            if (records.Count == maxRecords)
            {
                return $"there are more than {maxRecords} records";
            }

            SenmlRecordBuilder fields = default;
            while (reader.Read() && reader.TokenType != JsonTokenType.EndObject)
            {
                offset = (int)reader.TokenStartIndex;
                if (ReadField(ref reader, profile, ref fields) is { } wrong)
                {
                    return wrong;
                }
            }

            CoapSenmlRecord record = fields.ToRecord();
            offset = start;
            if (state.Enter(record) is { } broken)
            {
                return broken;
            }

            records.Add(record);
        }

        // The reader throws for anything after the array.
        reader.Read();
        return records.Count == 0 ? "a SenML Pack needs at least one record" : null;
    }

    private static string? ReadField(ref Utf8JsonReader reader, CoapSenmlProfile profile, ref SenmlRecordBuilder fields)
    {
        string name = reader.GetString()!;
        reader.Read();
        if (!SenmlLabels.TryFind(name, profile, out SenmlLabel label))
        {
            reader.Skip();
            return name.EndsWith('_') ? $"the field '{name}' must be understood, but is unknown (RFC 8428 section 4.4)"
                : fields.TryAdd(name) ? null
                : $"the field '{name}' occurs twice in a record";
        }

        if (!fields.TryAdd(label))
        {
            return $"the field '{name}' occurs twice in a record";
        }

        switch (label)
        {
            case SenmlLabel.BaseVersion:
                bool isVersion = reader.TokenType == JsonTokenType.Number && reader.TryGetInt32(out int version)
                    && Keep(ref fields, version);
                return isVersion ? null : "a version is a positive integer";
            case SenmlLabel.BooleanValue:
                fields.BooleanValue = reader.TokenType == JsonTokenType.True;
                return reader.TokenType is JsonTokenType.True or JsonTokenType.False ? null : $"'{name}' is true or false";
            case SenmlLabel.DataValue:
                fields.DataValue = reader.TokenType == JsonTokenType.String ? Decode(reader.GetString()!) : null;
                return fields.DataValue is not null ? null : $"'{name}' is a string in base64url without padding";
            case SenmlLabel.BaseName or SenmlLabel.BaseUnit or SenmlLabel.Name or SenmlLabel.Unit or SenmlLabel.StringValue
                or SenmlLabel.ObjectLink:
                if (reader.TokenType != JsonTokenType.String)
                {
                    return $"'{name}' is a string";
                }

                fields.Set(label, reader.GetString()!);
                return null;
            default:
                if (reader.TokenType != JsonTokenType.Number || !reader.TryGetDouble(out double number) || !double.IsFinite(number))
                {
                    return $"'{name}' is a number that a double can hold";
                }

                fields.Set(label, number);
                return null;
        }
    }

    private static bool Keep(ref SenmlRecordBuilder fields, int version)
    {
        fields.BaseVersion = version;
        return version > 0;
    }

    private static byte[]? Decode(string text)
    {
        // The decoder accepts padding and white space, but the format forbids them (RFC 8428 section 5).
        if (text.AsSpan().ContainsAnyExcept(s_base64Url) || text.Length % 4 == 1)
        {
            return null;
        }

        byte[] bytes = new byte[Base64Url.GetMaxDecodedLength(text.Length)];
        return Base64Url.DecodeFromChars(text, bytes, out _, out int written) == OperationStatus.Done ? bytes[..written] : null;
    }

    private static void WriteField(Utf8JsonWriter writer, string text, SenmlLabel label, CoapSenmlRecord record)
    {
        if (label == SenmlLabel.BaseVersion && record.BaseVersion is { } version)
        {
            writer.WriteNumber(text, version);
        }
        else if (label == SenmlLabel.BooleanValue && record.BooleanValue is { } truth)
        {
            writer.WriteBoolean(text, truth);
        }
        else if (label == SenmlLabel.DataValue && record.DataValue is { } data)
        {
            writer.WriteString(text, Base64Url.EncodeToString(data.Span));
        }
        else if (SenmlRecordFields.TextOf(record, label) is { } value)
        {
            writer.WriteString(text, value);
        }
        else if (SenmlRecordFields.NumberOf(record, label) is { } number)
        {
            WriteNumber(writer, text, number);
        }
    }

    private static void WriteNumber(Utf8JsonWriter writer, string text, double number)
    {
        // The exponent has a lower-case e (RFC 8428 section 5).
        string digits = number.ToString("R", System.Globalization.CultureInfo.InvariantCulture);
        writer.WritePropertyName(text);
        writer.WriteRawValue(digits.Replace('E', 'e'), skipInputValidation: true);
    }
}
