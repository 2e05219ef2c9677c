namespace CoAP.NET;

/// <summary>
/// Block1: the position of a block in the request body, and in the response how the server handled it (RFC 7959 section 2.1).
/// </summary>
public sealed class Block1Option : BlockOption, ITypedOption<Block1Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="block">Block number, more flag and size.</param>
    public Block1Option(BlockValue block)
        : base(Definition, block)
    {
    }

    /// <summary>Creates the option.</summary>
    /// <param name="number">The block number, 0 to 1,048,575.</param>
    /// <param name="more">Whether more blocks follow.</param>
    /// <param name="size">The block size in bytes: a power of two from 16 to 1,024.</param>
    /// <exception cref="ArgumentOutOfRangeException">Number or size is out of range.</exception>
    public Block1Option(int number, bool more, int size)
        : this(BlockValue.FromSize(number, more, size))
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Block1, "Block1", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Both)
        {
            Caching = OptionCachingInRequests.Bypass,
            Storing = OptionCachingInResponses.Forbid,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
            Special = RequestOptionFlags.Block1,
        };

    /// <inheritdoc/>
    static Block1Option ITypedOption<Block1Option>.Create(OptionData data) => new(BlockValue.FromUInt32(data.GetUInt()));
}
