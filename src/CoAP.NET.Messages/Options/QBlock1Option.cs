namespace CoAP.NET;

/// <summary>
/// Q-Block1: works like <see cref="Block1Option"/>, with many blocks at once and no wait for each response (RFC 9177 section 4.1).
/// </summary>
/// <remarks>
/// Supported if the endpoint calls <c>UseQBlock</c> of the package CoAP.NET.QBlock; in all other messages it counts as an unrecognized
/// critical option.
/// </remarks>
public sealed class QBlock1Option : BlockOption, ITypedOption<QBlock1Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="block">Block number, more flag and size.</param>
    public QBlock1Option(BlockValue block)
        : base(Definition, block)
    {
    }

    /// <summary>Creates the option.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024.</param>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public QBlock1Option(int number, bool more, int size)
        : this(BlockValue.FromSize(number, more, size))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.QBlock1, "Q-Block1", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Both)
        {
            IsUnsupported = true,
            Caching = OptionCachingInRequests.Bypass,
            Storing = OptionCachingInResponses.Forbid,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
            Special = RequestOptionFlags.QBlock,
        };

    /// <inheritdoc/>
    static QBlock1Option ITypedOption<QBlock1Option>.Create(OptionData data) => new(BlockValue.FromUInt32(data.GetUInt()));
}
