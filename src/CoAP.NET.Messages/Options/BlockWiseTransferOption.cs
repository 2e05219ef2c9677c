namespace CoAP.NET.Options;

/// <summary>
/// Block-Wise-Transfer: the sender of a CSM supports block-wise transfers, and BERT if Max-Message-Size is above 1,152 (RFC 8323 section
/// 5.3.2).
/// </summary>
internal sealed class BlockWiseTransferOption : EmptyOption, ITypedOption<BlockWiseTransferOption>
{
    public BlockWiseTransferOption()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(4, "Block-Wise-Transfer", OptionFormat.Empty, 0, 0, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode = CoapCode.Csm
        };

    /// <inheritdoc/>
    static BlockWiseTransferOption ITypedOption<BlockWiseTransferOption>.Create(OptionData data) => new();
}
