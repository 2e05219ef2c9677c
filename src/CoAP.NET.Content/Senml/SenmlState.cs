using System.Buffers;

namespace CoAP.NET.Content.Senml;

/// <summary>
/// The base fields at a position in a pack, with the rules for checking and resolving a record there (RFC 8428 sections 4.2 to 4.6).
/// </summary>
internal struct SenmlState(CoapSenmlProfile profile)
{
    /// <summary>The version of RFC 8428.</summary>
    public const int KnownVersion = 10;

    /// <summary>
    /// The maximum length of a name with its base name, in characters. RFC 8428 has no limit; without one, a pack of a megabyte could
    /// resolve to gigabytes.
    /// </summary>
    public const int MaxNameLength = 1024;

    /// <summary>Smaller times are relative to now (RFC 8428 section 4.5.3).</summary>
    public const double FirstAbsoluteTime = 1 << 28;

    /// <summary>The end of the year 9999, in seconds since 1970.</summary>
    public const double EndOfDates = 253_402_300_800;

    private static readonly SearchValues<char> s_nameCharacters =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-:./_");

    private string? _name;
    private double _time;
    private string? _unit;
    private double _value;
    private double? _sum;
    private int? _version;

    /// <summary>Takes over the base fields of a record and checks the record.</summary>
    /// <returns>The error; null for none.</returns>
    public string? Enter(CoapSenmlRecord record)
    {
        int version = record.BaseVersion ?? _version ?? KnownVersion;
        if (version is < 1 or > KnownVersion)
        {
            return $"version {version} is not known; this is version {KnownVersion} (RFC 8428 section 4.4)";
        }

        if (version != (_version ?? version))
        {
            return "all records of a pack must have the same version (RFC 8428 section 4.4)";
        }

        _version = version;
        _name = record.BaseName ?? _name;
        _time = record.BaseTime ?? _time;
        _unit = record.BaseUnit ?? _unit;
        _value = record.BaseValue ?? _value;
        _sum = record.BaseSum ?? _sum;
        return (HasBaseFieldsOnly(record) ? null : CheckValues(record) ?? CheckName(_name, record.Name)) ?? CheckNumbers(record);
    }

    /// <summary>
    /// Whether a record has base fields only. RFC 8428 section 4.2 literally requires a value, but the pack in section 5.1.7 begins with
    /// such a record. It is therefore accepted; it is not a measurement.
    /// </summary>
    public static bool HasBaseFieldsOnly(CoapSenmlRecord record) =>
        record is
        {
            Name: null, Unit: null, Value: null, StringValue: null, BooleanValue: null, DataValue: null, ObjectLinkValue: null,
            Sum: null, Time: null, UpdateTime: null
        }
        && record is not { BaseName: null, BaseTime: null, BaseUnit: null, BaseValue: null, BaseSum: null, BaseVersion: null };

    /// <summary>Returns the record without base fields and with an absolute time. Call <see cref="Enter"/> before.</summary>
    /// <param name="record">The record.</param>
    /// <param name="now">The current time, in seconds since 1970.</param>
    public readonly CoapSenmlRecord Resolve(CoapSenmlRecord record, double now)
    {
        double time = _time + (record.Time ?? 0);
        return new CoapSenmlRecord
        {
            BaseVersion = _version == KnownVersion ? null : _version,
            Name = _name + record.Name,
            Unit = record.Unit ?? _unit,
            Value = record.Value + _value,
            StringValue = record.StringValue,
            ObjectLinkValue = record.ObjectLinkValue,
            BooleanValue = record.BooleanValue,
            DataValue = record.DataValue,
            Sum = SumOf(record),
            Time = time < FirstAbsoluteTime ? now + time : time,
            UpdateTime = record.UpdateTime,
        };
    }

    private readonly string? CheckValues(CoapSenmlRecord record)
    {
        int values = (record.Value is null ? 0 : 1) + (record.StringValue is null ? 0 : 1) + (record.BooleanValue is null ? 0 : 1)
            + (record.DataValue is null ? 0 : 1) + (record.ObjectLinkValue is null ? 0 : 1);
        return values > 1 ? "a record must have only one value (RFC 8428 section 4.2)"
            : record.ObjectLinkValue is not null && profile != CoapSenmlProfile.Lwm2m
            ? "an object link is a value of the profile of LwM2M only"
            : values == 0 && record.Sum is null && profile != CoapSenmlProfile.Lwm2m
            ? "a record must have a value or a sum (RFC 8428 section 4.2)"
            : null;
    }

    // Checks both before they are combined, because a long base name and many short records would be expensive together.
    private readonly string? CheckName(string? baseName, string? name)
    {
        long length = (long)(baseName?.Length ?? 0) + (name?.Length ?? 0);
        if (length is 0 or > MaxNameLength)
        {
            return length == 0
                ? "a record must have a name or a base name (RFC 8428 section 4.2)"
                : $"a name has at most {MaxNameLength} characters here, with its base name";
        }

        char first = string.IsNullOrEmpty(baseName) ? name![0] : baseName[0];
        bool begins = char.IsAsciiLetterOrDigit(first) || (first == '/' && profile == CoapSenmlProfile.Lwm2m);
        return baseName.AsSpan().ContainsAnyExcept(s_nameCharacters) || name.AsSpan().ContainsAnyExcept(s_nameCharacters) || !begins
            ? "a name has letters, digits and - : . / _ only and begins with a letter or digit (RFC 8428 section 4.5.1); names of LwM2M "
                + "need CoapSenmlProfile.Lwm2m"
            : null;
    }

    private readonly string? CheckNumbers(CoapSenmlRecord record) =>
        IsFinite(_time) && IsFinite(_value) && IsFinite(_sum) && IsFinite(_time + record.Time) && IsFinite(_value + record.Value)
            && IsFinite(SumOf(record)) && IsFinite(record.UpdateTime)
            ? null
            : "a number is not finite";

    private readonly double? SumOf(CoapSenmlRecord record) => record.Sum is null && _sum is null ? null : (record.Sum ?? 0) + (_sum ?? 0);

    private static bool IsFinite(double? value) => value is null || double.IsFinite(value.Value);
}
