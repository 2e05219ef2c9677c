using CoAP.NET.Content.Senml;

namespace CoAP.NET;

/// <summary>A SenML Record: one measurement or one setting (RFC 8428 section 4). Immutable.</summary>
/// <remarks>
/// It has exactly one of the four values, or a <see cref="Sum"/>, or base fields only. Base fields apply to this record and the following
/// ones in the pack, until a record has the same field. Numbers are finite.
/// </remarks>
public sealed class CoapSenmlRecord
{
    /// <summary>Base Name <c>bn</c>: the prefix of names.</summary>
    public string? BaseName { get; init; }

    /// <summary>Base Time <c>bt</c>, in seconds: added to the times.</summary>
    public double? BaseTime { get; init; }

    /// <summary>Base Unit <c>bu</c>: the unit of records without one.</summary>
    public string? BaseUnit { get; init; }

    /// <summary>Base Value <c>bv</c>: added to the numbers in <see cref="Value"/>.</summary>
    public double? BaseValue { get; init; }

    /// <summary>Base Sum <c>bs</c>: added to the sums.</summary>
    public double? BaseSum { get; init; }

    /// <summary>Base Version <c>bver</c>: 1 to 10; 10 when no record has it (RFC 8428 section 4.4).</summary>
    public int? BaseVersion { get; init; }

    /// <summary>Name <c>n</c>.</summary>
    /// <remarks>
    /// With the base name in front it is a global name of the sensor: letters, digits and <c>- : . / _</c>, beginning with a letter or
    /// digit (section 4.5.1).
    /// </remarks>
    public string? Name { get; init; }

    /// <summary>Unit <c>u</c>, a registered one such as <c>Cel</c> or <c>%RH</c> (section 12.1).</summary>
    public string? Unit { get; init; }

    /// <summary>Value <c>v</c>: a number.</summary>
    public double? Value { get; init; }

    /// <summary>String Value <c>vs</c>.</summary>
    public string? StringValue { get; init; }

    /// <summary>Boolean Value <c>vb</c>.</summary>
    public bool? BooleanValue { get; init; }

    /// <summary>Data Value <c>vd</c>: bytes.</summary>
    public ReadOnlyMemory<byte>? DataValue { get; init; }

    /// <summary>Object Link <c>vlo</c> of LwM2M (LwM2M 1.1 Core, section 7.4.4): an object and an instance, such as <c>3:0</c>.</summary>
    /// <remarks>Only packs of <see cref="CoapSenmlProfile.Lwm2m"/> have it.</remarks>
    public string? ObjectLinkValue { get; init; }

    /// <summary>Sum <c>s</c>: the integral of the value over time, in its unit times seconds.</summary>
    public double? Sum { get; init; }

    /// <summary>Time <c>t</c>, in seconds.</summary>
    /// <remarks>
    /// If the sum with the base time is 2^28 or more, it counts from 1970 in UTC without leap seconds. Smaller values are relative to now
    /// (section 4.5.3).
    /// </remarks>
    public double? Time { get; init; }

    /// <summary>Update Time <c>ut</c>, in seconds: the maximum time until the next reading of the sensor.</summary>
    public double? UpdateTime { get; init; }

    /// <summary>The time of the measurement as a date; null unless <see cref="Time"/> is absolute, as in a resolved record.</summary>
    public DateTimeOffset? Timestamp =>
        Time is { } time && time >= SenmlState.FirstAbsoluteTime && time < SenmlState.EndOfDates
            ? DateTimeOffset.UnixEpoch.AddTicks((long)(time * TimeSpan.TicksPerSecond))
            : null;

    /// <summary>Formats name and value for diagnostics.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        string value = Value is { } number ? number.ToString(System.Globalization.CultureInfo.InvariantCulture)
            : StringValue ?? ObjectLinkValue ?? BooleanValue?.ToString()
                ?? (DataValue is { } data ? $"{data.Length} B" : Sum is { } sum ? $"sum {sum}" : string.Empty);
        return $"{BaseName}{Name} {value} {Unit}".TrimEnd();
    }
}
