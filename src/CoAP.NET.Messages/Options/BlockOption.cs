namespace CoAP.NET;

/// <summary>The base class of options with block number, more flag and block size (RFC 7959 section 2.2).</summary>
/// <remarks>An integer of 0 to 3 bytes. Derive from it for a custom option.</remarks>
public abstract class BlockOption : CoapOption<BlockValue>
{
    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="block">Block number, more flag and size.</param>
    protected BlockOption(OptionDefinition definition, BlockValue block)
        : base(definition, block)
    {
    }

    /// <inheritdoc/>
    public sealed override int ValueLength => UIntOption.GetLength(Value.Value);

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination) => UIntOption.Write(Value.Value, destination);
}
