using System.Globalization;
using System.Text;

namespace CoAP.NET;

/// <summary>An option with a typed value: the base class of every kind of option, those of this library and those of users.</summary>
/// <remarks>
/// Derive from it for a value of any type. The class writes the value (<see cref="CoapOption.ValueLength"/> and
/// <see cref="CoapOption.WriteValue"/>) and reads it (<see cref="ITypedOption{TSelf}.Create"/>). <see cref="UIntOption"/>,
/// <see cref="StringOption"/>, <see cref="OpaqueOption"/>, <see cref="EmptyOption"/> and <see cref="BlockOption"/> are such classes.
/// </remarks>
/// <typeparam name="T">The type of the value.</typeparam>
public abstract class CoapOption<T> : CoapOption
{
    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="value">The value; immutable, or never changed again.</param>
    /// <exception cref="ArgumentNullException">The definition is null.</exception>
    protected CoapOption(OptionDefinition definition, T value)
        : base(NumberOf(definition))
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

    /// <summary>Checks that a value has a length that the definition allows. For constructors.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="length">The length of the value on the wire, in bytes.</param>
    /// <returns>The length.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer or more bytes than the definition allows.</exception>
    protected static int CheckLength(OptionDefinition definition, int length)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return definition.AllowsLength(length)
            ? length
            : throw new ArgumentOutOfRangeException(nameof(length), length,
                $"A value of {definition.Name} must have {definition.MinLength} to {definition.MaxLength} bytes.");
    }

    /// <summary>Returns the value, human-readable.</summary>
    /// <remarks>By default the text of <see cref="Value"/> in the invariant culture. Control characters are escaped.</remarks>
    /// <returns>The text.</returns>
    protected override string FormatValue()
    {
        string value = Value is IFormattable formattable
            ? formattable.ToString(null, CultureInfo.InvariantCulture)
            : Value?.ToString() ?? string.Empty;
        if (!value.Any(char.IsControl))
        {
            return value;
        }

        // A peer must not be able to start a new line in a log.
        StringBuilder text = new(value.Length + 16);
        foreach (char c in value)
        {
            _ = char.IsControl(c) ? text.Append(CultureInfo.InvariantCulture, $"\\u{(int)c:x4}") : text.Append(c);
        }

        return text.ToString();
    }

    private static int NumberOf(OptionDefinition definition)
    {
        ArgumentNullException.ThrowIfNull(definition);
        return definition.Number;
    }
}
