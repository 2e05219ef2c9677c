namespace CoAP.NET.Options;

/// <summary>The base class of options with block number, more flag and block size (RFC 7959 section 2.2).</summary>
/// <remarks>0 to 3 bytes.</remarks>
public abstract class BlockOption : UIntOption
{
    private protected BlockOption(OptionDefinition definition, BlockValue block)
        : base(definition, block.Value)
    {
    }

    /// <summary>Block number, more flag and size.</summary>
    public BlockValue Block => BlockValue.FromUInt32(Value);

    /// <inheritdoc/>
    protected sealed override string FormatValue() => Block.ToString();
}
