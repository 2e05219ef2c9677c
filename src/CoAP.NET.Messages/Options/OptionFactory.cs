namespace CoAP.NET;

/// <summary>Creates options of one option class with the static members of that class.</summary>
/// <typeparam name="TOption">The option class.</typeparam>
public sealed class OptionFactory<TOption> : IOptionFactory
    where TOption : CoapOption, ITypedOption<TOption>
{
    /// <inheritdoc/>
    public OptionDefinition Definition => TOption.Definition;

    /// <inheritdoc/>
    public CoapOption Create(OptionData data) => TOption.Create(data);
}
