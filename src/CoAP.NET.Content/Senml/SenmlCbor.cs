using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Senml;

/// <summary>SenML in CBOR, Content-Format 112 (RFC 8428 section 6).</summary>
internal static class SenmlCbor
{
    public static byte[] Write(IReadOnlyList<CoapSenmlRecord> records)
    {
        CborWriter writer = new();
        writer.WriteArray(records.Count);
        foreach (CoapSenmlRecord record in records)
        {
            writer.WriteMap(SenmlLabels.InCborOrder.Count(label => SenmlLabels.Has(record, label)));
            foreach (SenmlLabel label in SenmlLabels.InCborOrder)
            {
                if (SenmlLabels.Has(record, label))
                {
                    WriteValue(label == SenmlLabel.ObjectLink ? writer.WriteText(SenmlLabels.ObjectLinkText) : writer.WriteInt((int)label),
                        label, record);
                }
            }
        }

        return writer.ToArray();
    }

    public static bool TryRead(ReadOnlySpan<byte> bytes, int maxRecords, CoapSenmlProfile profile, out List<CoapSenmlRecord> records,
        out ContentFault fault)
    {
        records = [];
        CborReader reader = new(bytes);
        ContentFault broken = default;
        if (TryReadPack(ref reader, maxRecords, profile, records, ref broken) && reader.TryEnd())
        {
            fault = default;
            return true;
        }

        fault = broken.Message is null ? reader.Fault : broken;
        return false;
    }

    private static bool TryReadPack(ref CborReader reader, int maxRecords, CoapSenmlProfile profile, List<CoapSenmlRecord> records,
        ref ContentFault broken)
    {
        SenmlState state = new(profile);
        if (!reader.TryReadArray(out int? count))
        {
            return false;
        }

        for (int i = 0; count is null ? !reader.TryTakeBreak() : i < count; i++)
        {
            int start = reader.Position;
            if (i == maxRecords)
            {
                return Fail(start, $"there are more than {maxRecords} records", ref broken);
            }

            if (!TryReadRecord(ref reader, profile, out SenmlFields fields, ref broken))
            {
                return false;
            }

            CoapSenmlRecord record = fields.ToRecord();
            if (state.Enter(record) is { } wrong)
            {
                return Fail(start, wrong, ref broken);
            }

            records.Add(record);
        }

        return records.Count > 0 || Fail(0, "a SenML Pack needs at least one record", ref broken);
    }

    private static bool TryReadRecord(ref CborReader reader, CoapSenmlProfile profile, out SenmlFields fields, ref ContentFault broken)
    {
        fields = default;
        if (!reader.TryReadMap(out int? pairs))
        {
            return false;
        }

        for (int i = 0; pairs is null ? !reader.TryTakeBreak() : i < pairs; i++)
        {
            if (!TryReadField(ref reader, profile, ref fields, ref broken))
            {
                return false;
            }
        }

        return true;
    }

    private static bool TryReadField(ref CborReader reader, CoapSenmlProfile profile, ref SenmlFields fields, ref ContentFault broken)
    {
        int start = reader.Position;
        if (!reader.TryPeek(out CborMajor major))
        {
            return false;
        }

        string name;
        bool isKnown;
        SenmlLabel label;
        if (major == CborMajor.TextString)
        {
            // Known fields have numbers; a text label means the same.
            if (!reader.TryReadText(out name))
            {
                return false;
            }

            isKnown = SenmlLabels.TryFind(name, profile, out label);
        }
        else
        {
            if (!reader.TryReadInt(out long number))
            {
                return false;
            }

            isKnown = SenmlLabels.TryFind(number, out label);
            name = isKnown ? label.ToString() : $"{number}";
        }

        if (isKnown ? !fields.TryAdd(label) : !fields.TryAdd($"{(int)major >> 1} {name}"))
        {
            return Fail(start, $"the field '{name}' occurs twice in a record", ref broken);
        }

        if (!isKnown)
        {
            return !name.EndsWith('_')
                ? reader.TrySkip()
                : Fail(start, $"the field '{name}' must be understood, but is unknown (RFC 8428 section 4.4)", ref broken);
        }

        return TryReadValue(ref reader, label, ref fields, ref broken);
    }

    private static bool TryReadValue(ref CborReader reader, SenmlLabel label, ref SenmlFields fields, ref ContentFault broken)
    {
        int start = reader.Position;
        bool isRead;
        switch (label)
        {
            case SenmlLabel.BaseVersion:
                isRead = reader.TryReadUInt(out ulong version);
                fields.BaseVersion = (int)Math.Min(version, int.MaxValue);
                return isRead && (version > 0 || Fail(start, "a version is a positive integer", ref broken));
            case SenmlLabel.BooleanValue:
                isRead = reader.TryReadBoolean(out bool truth);
                fields.BooleanValue = truth;
                return isRead;
            case SenmlLabel.DataValue:
                isRead = reader.TryReadBytes(out byte[] data);
                fields.DataValue = data;
                return isRead;
            case SenmlLabel.BaseName or SenmlLabel.BaseUnit or SenmlLabel.Name or SenmlLabel.Unit or SenmlLabel.StringValue
                or SenmlLabel.ObjectLink:
                isRead = reader.TryReadText(out string text);
                fields.Set(label, text);
                return isRead;
            default:
                isRead = reader.TryReadNumber(out double number);
                fields.Set(label, number);
                return isRead;
        }
    }

    private static void WriteValue(CborWriter writer, SenmlLabel label, CoapSenmlRecord record)
    {
        switch (label)
        {
            case SenmlLabel.BaseVersion:
                writer.WriteInt(record.BaseVersion!.Value);
                break;
            case SenmlLabel.BooleanValue:
                writer.WriteBoolean(record.BooleanValue!.Value);
                break;
            case SenmlLabel.DataValue:
                writer.WriteBytes(record.DataValue!.Value.Span);
                break;
            default:
                if (SenmlLabels.TextOf(record, label) is { } text)
                {
                    writer.WriteText(text);
                }
                else
                {
                    writer.WriteNumber(SenmlLabels.NumberOf(record, label)!.Value);
                }

                break;
        }
    }

    private static bool Fail(int offset, string message, ref ContentFault broken)
    {
        broken = new ContentFault(offset, message);
        return false;
    }
}
