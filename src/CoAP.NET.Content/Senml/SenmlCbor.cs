using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Senml;

/// <summary>SenML in CBOR, Content-Format 112 (RFC 8428 section 6).</summary>
internal static class SenmlCbor
{
    public static byte[] Write(IReadOnlyList<CoapSenmlRecord> records)
    {
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartArray(records.Count);
        foreach (CoapSenmlRecord record in records)
        {
            writer.WriteStartMap(SenmlLabels.InCborOrder.Count(label => SenmlRecordFields.Has(record, label)));
            foreach (SenmlLabel label in SenmlLabels.InCborOrder)
            {
                if (SenmlRecordFields.Has(record, label))
                {
                    WriteField(writer, label, record);
                }
            }

            writer.WriteEndMap();
        }

        writer.WriteEndArray();
        return writer.Encode();
    }

    public static bool TryRead(ReadOnlySpan<byte> bytes, int maxRecords, CoapSenmlProfile profile, out List<CoapSenmlRecord> records,
        out ContentFault fault)
    {
        bool isRead = UntrustedCborReader.TryRead(
            bytes.ToArray(), reader => ReadPack(reader, maxRecords, profile), out List<CoapSenmlRecord>? read, out fault);
        records = read ?? [];
        return isRead;
    }

    private static List<CoapSenmlRecord> ReadPack(CborReader reader, int maxRecords, CoapSenmlProfile profile)
    {
        List<CoapSenmlRecord> records = [];
        SenmlState state = new(profile);
        int begin = reader.BytesRemaining;
        reader.ReadStartArray();
        while (reader.PeekState() != CborReaderState.EndArray)
        {
            int start = reader.BytesRemaining;
            if (records.Count == maxRecords)
            {
                throw reader.Fault($"there are more than {maxRecords} records");
            }

            CoapSenmlRecord record = ReadRecord(reader, profile);
            if (state.Enter(record) is { } wrong)
            {
                throw new CborFaultException(start, wrong);
            }

            records.Add(record);
        }

        reader.ReadEndArray();
        return records.Count > 0 ? records : throw new CborFaultException(begin, "a SenML Pack needs at least one record");
    }

    private static CoapSenmlRecord ReadRecord(CborReader reader, CoapSenmlProfile profile)
    {
        SenmlRecordBuilder fields = default;
        reader.ReadStartMap();
        while (reader.PeekState() != CborReaderState.EndMap)
        {
            ReadField(reader, profile, ref fields);
        }

        reader.ReadEndMap();
        return fields.ToRecord();
    }

    private static void ReadField(CborReader reader, CoapSenmlProfile profile, ref SenmlRecordBuilder fields)
    {
        int start = reader.BytesRemaining;

        // Known fields have numbers; a text label means the same.
        bool isText = reader.IsAtText();
        string? name = isText ? reader.ReadText() : null;
        long number = isText ? 0 : reader.ReadInt64();
        bool isKnown = isText ? SenmlLabels.TryFind(name!, profile, out SenmlLabel label) : SenmlLabels.TryFind(number, out label);
        name ??= isKnown ? label.ToString() : $"{number}";
        if (isKnown ? !fields.TryAdd(label) : !fields.TryAdd($"{(isText ? 1 : 0)} {name}"))
        {
            throw new CborFaultException(start, $"the field '{name}' occurs twice in a record");
        }

        if (isKnown)
        {
            ReadValue(reader, label, ref fields);
        }
        else if (name.EndsWith('_'))
        {
            throw new CborFaultException(
                start, $"the field '{name}' must be understood, but is unknown (RFC 8428 section 4.4)");
        }
        else
        {
            reader.Skip();
        }
    }

    private static void ReadValue(CborReader reader, SenmlLabel label, ref SenmlRecordBuilder fields)
    {
        int start = reader.BytesRemaining;
        switch (label)
        {
            case SenmlLabel.BaseVersion:
                ulong version = reader.ReadUInt64();
                fields.BaseVersion = version > 0
                    ? (int)Math.Min(version, int.MaxValue)
                    : throw new CborFaultException(start, "a version is a positive integer");
                break;
            case SenmlLabel.BooleanValue:
                fields.BooleanValue = reader.ReadBoolean();
                break;
            case SenmlLabel.DataValue:
                fields.DataValue = reader.ReadByteString();
                break;
            case SenmlLabel.BaseName or SenmlLabel.BaseUnit or SenmlLabel.Name or SenmlLabel.Unit or SenmlLabel.StringValue
                or SenmlLabel.ObjectLink:
                fields.Set(label, reader.ReadText());
                break;
            default:
                fields.Set(label, reader.ReadNumber());
                break;
        }
    }

    private static void WriteField(CborWriter writer, SenmlLabel label, CoapSenmlRecord record)
    {
        if (label == SenmlLabel.ObjectLink)
        {
            writer.WriteTextString(SenmlLabels.ObjectLinkText);
        }
        else
        {
            writer.WriteInt32((int)label);
        }

        switch (label)
        {
            case SenmlLabel.BaseVersion:
                writer.WriteInt32(record.BaseVersion!.Value);
                break;
            case SenmlLabel.BooleanValue:
                writer.WriteBoolean(record.BooleanValue!.Value);
                break;
            case SenmlLabel.DataValue:
                writer.WriteByteString(record.DataValue!.Value.Span);
                break;
            default:
                if (SenmlRecordFields.TextOf(record, label) is { } text)
                {
                    writer.WriteTextString(text);
                }
                else
                {
                    writer.WriteNumber(SenmlRecordFields.NumberOf(record, label)!.Value);
                }

                break;
        }
    }
}
