namespace CoAP.NET;

/// <summary>
/// Q-Block2: works like <see cref="Block2Option"/>, with many blocks at once and no wait for each response (RFC 9177 section 4.1).
/// </summary>
/// <remarks>
/// Repeatable in requests. Supported if the endpoint calls <c>UseQBlock</c> of the package CoAP.NET.QBlock; in all other messages it counts
/// as an unrecognized critical option.
/// </remarks>
public sealed class QBlock2Option : BlockOption, ITypedOption<QBlock2Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="block">Block number, more flag and size.</param>
    public QBlock2Option(BlockValue block)
        : base(Definition, block)
    {
    }

    /// <summary>Creates the option.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024.</param>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public QBlock2Option(int number, bool more, int size)
        : this(BlockValue.FromSize(number, more, size))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.QBlock2, "Q-Block2", OptionFormat.UInt, 0, 3, isRepeatable: true, OptionApplicability.Both)
        {
            IsUnsupported = true,
            IsSingleInResponse = true,
            Caching = OptionCachingInRequests.Bypass,
            Storing = OptionCachingInResponses.Drop,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
            Special = RequestOptionFlags.QBlock,
        };

    /// <inheritdoc/>
    static QBlock2Option ITypedOption<QBlock2Option>.Create(OptionData data) => new(BlockValue.FromUInt32(data.GetUInt()));
}
