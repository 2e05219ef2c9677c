namespace CoAP.NET.Tests.Options;

/// <summary>Registries with one option of a user that declares what the library does with it.</summary>
internal static class DeclaredOption
{
    public static CoapOptionRegistry Register(OptionDefinition definition) => CoapOptionRegistry.Default.With(new Factory(definition));

    private sealed class Factory(OptionDefinition definition) : IOptionFactory
    {
        public OptionDefinition Definition => definition;

        public CoapOption Create(OptionData data) => new UnrecognizedOption(data.Number, data.Value.ToArray());
    }
}
