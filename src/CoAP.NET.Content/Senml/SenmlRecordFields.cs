namespace CoAP.NET.Content.Senml;

/// <summary>Reads the fields of SenML records by their labels (RFC 8428 section 4).</summary>
internal static class SenmlRecordFields
{
    /// <summary>Returns the text of a field; null when it is absent or not a text.</summary>
    public static string? TextOf(CoapSenmlRecord record, SenmlLabel label) => label switch
    {
        SenmlLabel.BaseName => record.BaseName,
        SenmlLabel.BaseUnit => record.BaseUnit,
        SenmlLabel.Name => record.Name,
        SenmlLabel.Unit => record.Unit,
        SenmlLabel.StringValue => record.StringValue,
        SenmlLabel.ObjectLink => record.ObjectLinkValue,
        _ => null,
    };

    /// <summary>Returns the number in a field; null when it is absent or not a floating-point number.</summary>
    public static double? NumberOf(CoapSenmlRecord record, SenmlLabel label) => label switch
    {
        SenmlLabel.BaseTime => record.BaseTime,
        SenmlLabel.BaseValue => record.BaseValue,
        SenmlLabel.BaseSum => record.BaseSum,
        SenmlLabel.Value => record.Value,
        SenmlLabel.Sum => record.Sum,
        SenmlLabel.Time => record.Time,
        SenmlLabel.UpdateTime => record.UpdateTime,
        _ => null,
    };

    /// <summary>Whether a record has a field.</summary>
    public static bool Has(CoapSenmlRecord record, SenmlLabel label) => label switch
    {
        SenmlLabel.BaseVersion => record.BaseVersion is not null,
        SenmlLabel.BooleanValue => record.BooleanValue is not null,
        SenmlLabel.DataValue => record.DataValue is not null,
        _ => TextOf(record, label) is not null || NumberOf(record, label) is not null,
    };
}
