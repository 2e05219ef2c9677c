using System.Text;
using System.Text.Unicode;

namespace CoAP.NET;

/// <summary>An option with a string in UTF-8 as its value (RFC 7252 section 3.2).</summary>
/// <remarks>Derive from it for a custom option.</remarks>
public abstract class StringOption : CoapOption<string>
{
    // The received bytes if they are not UTF-8: the string with U+FFFD would be longer, and another value.
    private readonly byte[]? _received;

    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="value">The string; not percent-encoded.</param>
    /// <exception cref="ArgumentOutOfRangeException">The string has a number of UTF-8 bytes that the definition does not allow.</exception>
    protected StringOption(OptionDefinition definition, string value)
        : base(definition, value)
    {
        ArgumentNullException.ThrowIfNull(value);
        ValueLength = CheckLength(definition, Encoding.UTF8.GetByteCount(value));
    }

    /// <summary>Creates a received option.</summary>
    /// <remarks>Bytes that are not UTF-8 become U+FFFD in the value and stay unchanged on the wire.</remarks>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="data">The bytes; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer or more bytes than the definition allows.</exception>
    protected StringOption(OptionDefinition definition, OptionData data)
        : base(definition, data.GetString())
    {
        ValueLength = CheckLength(definition, data.Value.Length);
        _received = Utf8.IsValid(data.Value) ? null : data.Value.ToArray();
    }

    /// <inheritdoc/>
    public sealed override int ValueLength { get; }

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination)
    {
        if (_received is not null)
        {
            _received.CopyTo(destination);
            return;
        }

        Encoding.UTF8.GetBytes(Value, destination);
    }
}
