using CoAP.NET.Options;

namespace CoAP.NET.Simulation.Faults;

/// <summary>An option of a user. Its factory throws when a fault is due, though it must not.</summary>
internal sealed class FaultOption(uint value) : UIntOption(Definition, value), ITypedOption<FaultOption>
{
    public static new OptionDefinition Definition { get; } = new(65_000, "Fault", OptionFormat.UInt, MinLength: 0, MaxLength: 1);

    public static FaultOption Create(OptionData data) => new(data.GetUInt());

    /// <summary>Its factory.</summary>
    internal sealed class Factory(FaultInjector injector) : IOptionFactory
    {
        public OptionDefinition Definition => FaultOption.Definition;

        public CoapOption Create(OptionData data)
        {
            injector.Hit("an option factory");
            return new FaultOption(data.GetUInt());
        }
    }
}
