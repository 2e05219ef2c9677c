namespace CoAP.NET.Blockwise;

/// <summary>An answer whose payload is not the whole body: a block ready to be sent, or what was read at the place of one.</summary>
internal sealed class BodyPart : CoapResult
{
    public BodyPart(CoapCode code, ReadOnlyMemory<byte> payload = default)
        : base(code, payload)
    {
    }

    /// <summary>Whether it is a response as it goes out, with its Block options.</summary>
    public bool IsBlock { get; init; }

    /// <summary>Where the payload begins in the body, in bytes.</summary>
    public long Offset { get; init; }

    /// <summary>The size of the body in bytes; where nobody knows it yet, as much as is known to be there.</summary>
    public long Total { get; init; }

    /// <summary>The size of the body as the peer is told; null where nobody knows it.</summary>
    public long? Size { get; init; }

    /// <summary>What is sent after it without being asked for; null for nothing.</summary>
    public FollowingBlocks? Following { get; init; }

    /// <summary>What later blocks may be read from; null for nothing.</summary>
    public SeekableBody? Source { get; init; }

    /// <summary>Closes the stream of an answer that nobody fetches further.</summary>
    public static void CloseUnlessKept(CoapResult result)
    {
        if (result is BodyPart { Source: { IsKept: false } source })
        {
            _ = source.CloseAsync();
        }
    }

    private protected override CoapResult CopyWithoutOptions() =>
        new BodyPart(Code, Payload)
        {
            IsBlock = IsBlock,
            Offset = Offset,
            Total = Total,
            Size = Size,
            Following = Following,
            Source = Source
        }.As(this);
}
