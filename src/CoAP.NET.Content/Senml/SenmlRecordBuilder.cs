namespace CoAP.NET.Content.Senml;

/// <summary>Collects the fields of a record during parsing.</summary>
internal struct SenmlRecordBuilder
{
    private int _seen;
    private HashSet<string>? _unknown;

    public string? BaseName { get; private set; }

    public string? BaseUnit { get; private set; }

    public string? Name { get; private set; }

    public string? Unit { get; private set; }

    public string? StringValue { get; private set; }

    public string? ObjectLinkValue { get; private set; }

    public double? BaseTime { get; private set; }

    public double? BaseValue { get; private set; }

    public double? BaseSum { get; private set; }

    public double? Value { get; private set; }

    public double? Sum { get; private set; }

    public double? Time { get; private set; }

    public double? UpdateTime { get; private set; }

    public bool? BooleanValue { get; set; }

    public byte[]? DataValue { get; set; }

    public int? BaseVersion { get; set; }

    /// <summary>Records a field.</summary>
    /// <returns>False for a duplicate.</returns>
    public bool TryAdd(SenmlLabel label)
    {
        int bit = 1 << ((int)label - (int)SenmlLabel.BaseSum);
        bool isNew = (_seen & bit) == 0;
        _seen |= bit;
        return isNew;
    }

    /// <summary>Records an unknown field.</summary>
    /// <returns>False for a duplicate.</returns>
    public bool TryAdd(string unknown) => (_unknown ??= []).Add(unknown);

    public void Set(SenmlLabel label, string text)
    {
        switch (label)
        {
            case SenmlLabel.BaseName:
                BaseName = text;
                break;
            case SenmlLabel.BaseUnit:
                BaseUnit = text;
                break;
            case SenmlLabel.Name:
                Name = text;
                break;
            case SenmlLabel.Unit:
                Unit = text;
                break;
            case SenmlLabel.ObjectLink:
                ObjectLinkValue = text;
                break;
            default:
                StringValue = text;
                break;
        }
    }

    public void Set(SenmlLabel label, double number)
    {
        switch (label)
        {
            case SenmlLabel.BaseTime:
                BaseTime = number;
                break;
            case SenmlLabel.BaseValue:
                BaseValue = number;
                break;
            case SenmlLabel.BaseSum:
                BaseSum = number;
                break;
            case SenmlLabel.Value:
                Value = number;
                break;
            case SenmlLabel.Sum:
                Sum = number;
                break;
            case SenmlLabel.Time:
                Time = number;
                break;
            default:
                UpdateTime = number;
                break;
        }
    }

    public readonly CoapSenmlRecord ToRecord()
    {
        ReadOnlyMemory<byte>? data = null;
        if (DataValue is not null)
        {
            data = DataValue;
        }

        return new CoapSenmlRecord
        {
            BaseName = BaseName,
            BaseTime = BaseTime,
            BaseUnit = BaseUnit,
            BaseValue = BaseValue,
            BaseSum = BaseSum,
            BaseVersion = BaseVersion,
            Name = Name,
            Unit = Unit,
            Value = Value,
            StringValue = StringValue,
            ObjectLinkValue = ObjectLinkValue,
            BooleanValue = BooleanValue,
            DataValue = data,
            Sum = Sum,
            Time = Time,
            UpdateTime = UpdateTime,
        };
    }
}
