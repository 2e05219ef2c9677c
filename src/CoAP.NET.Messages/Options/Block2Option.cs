namespace CoAP.NET;

/// <summary>
/// Block2: the position of a block in the response body, and in the request which block is requested (RFC 7959 section 2.1).
/// </summary>
public sealed class Block2Option : BlockOption, ITypedOption<Block2Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="block">Block number, more flag and size.</param>
    public Block2Option(BlockValue block)
        : base(Definition, block)
    {
    }

    /// <summary>Creates the option.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024.</param>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public Block2Option(int number, bool more, int size)
        : this(BlockValue.FromSize(number, more, size))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Block2, "Block2", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Both)
        {
            Caching = OptionCachingInRequests.Bypass,
            Storing = OptionCachingInResponses.Drop,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
            Special = RequestOptionFlags.Block2,
        };

    /// <inheritdoc/>
    static Block2Option ITypedOption<Block2Option>.Create(OptionData data) => new(BlockValue.FromUInt32(data.GetUInt()));
}
