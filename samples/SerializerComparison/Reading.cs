using CoAP.NET;
namespace SerializerComparison;

/// <summary>
/// An option of our own: what a sensor measured, as an unsigned number. Elective and safe to forward, from the range for experiments (RFC
/// 7252 section 12.2).
/// </summary>
/// <param name="value">The reading.</param>
public sealed class Reading(uint value) : UIntOption(Definition, value), ITypedOption<Reading>
{
    /// <inheritdoc/>
    public static OptionDefinition Definition { get; } = new(65_000, "Reading", OptionFormat.UInt, 0, 4, isRepeatable: true,
        OptionApplicability.Both);

    /// <inheritdoc/>
    public static Reading Create(OptionData data) => new(data.GetUInt());
}
