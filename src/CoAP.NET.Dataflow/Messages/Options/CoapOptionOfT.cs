namespace CoAP.NET.Options;

/// <summary>An option with a typed value.</summary>
/// <typeparam name="T">The type of the value.</typeparam>
public abstract class CoapOption<T> : CoapOption
{
    private protected CoapOption(OptionDefinition definition, T value)
        : base(definition.Number)
    {
        Definition = definition;
        Value = value;
    }

    /// <summary>The value.</summary>
    public T Value { get; }

    /// <inheritdoc/>
    public sealed override string Name => Definition.Name;

    private protected OptionDefinition Definition { get; }

    private protected sealed override CoapCode? SignallingCode => Definition.SignallingCode;

    private protected static int CheckLength(OptionDefinition definition, int length) => definition.AllowsLength(length)
        ? length
        : throw new ArgumentOutOfRangeException(nameof(length), length,
            $"A value of {definition.Name} must have {definition.MinLength} to {definition.MaxLength} bytes.");
}
