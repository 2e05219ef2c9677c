using CoAP.NET;

namespace Shelly;

/// <summary>
/// What CoIoT adds to CoAP: a method and three options, all elective and safe to forward. First-generation Shelly devices speak it.
/// </summary>
internal static class CoIoT
{
    /// <summary>The request code 0.30: a device publishes its status, and nobody answers.</summary>
    public const CoapMethod Publish = (CoapMethod)30;

    /// <summary>All options that the library knows, and these three.</summary>
    public static CoapOptionRegistry Registry { get; } = CoapOptionRegistry.Default
        .With(new OptionFactory<DeviceId>())
        .With(new OptionFactory<Validity>())
        .With(new OptionFactory<Serial>());
}

/// <summary>Option 3332: type, identifier and protocol version of the device, such as <c>SHSW-25#A4CF12F45E13#2</c>.</summary>
internal sealed class DeviceId(string value) : StringOption(Definition, value), ITypedOption<DeviceId>
{
    public static OptionDefinition Definition { get; } = new(3332, "CoIoT-Device", OptionFormat.String, 0, 255, isRepeatable: false,
        OptionApplicability.Both);

    public static DeviceId Create(OptionData data) => new(data.GetString());
}

/// <summary>
/// Option 3412: how long the status holds. With the lowest bit clear in tenths of a second, otherwise in units of four seconds.
/// </summary>
internal sealed class Validity(uint value) : UIntOption(Definition, value), ITypedOption<Validity>
{
    public static OptionDefinition Definition { get; } = new(3412, "CoIoT-Validity", OptionFormat.UInt, 0, 2, isRepeatable: false,
        OptionApplicability.Both);

    public TimeSpan Duration => (Value & 1) == 0 ? TimeSpan.FromSeconds(Value / 10.0) : TimeSpan.FromSeconds(Value * 4.0);

    public static Validity Create(OptionData data) => new(data.GetUInt());
}

/// <summary>Option 3420: a number that changes with the status, so that repeated publications can be told from new ones.</summary>
internal sealed class Serial(uint value) : UIntOption(Definition, value), ITypedOption<Serial>
{
    public static OptionDefinition Definition { get; } = new(3420, "CoIoT-Serial", OptionFormat.UInt, 0, 2, isRepeatable: false,
        OptionApplicability.Both);

    public static Serial Create(OptionData data) => new(data.GetUInt());
}
