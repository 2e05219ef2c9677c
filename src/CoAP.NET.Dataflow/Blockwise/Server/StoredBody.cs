namespace CoAP.NET.Blockwise;

/// <summary>
/// A representation that is fetched block by block. Peers that got the same one share it. Immutable but for what Shard.Gate guards: the
/// count, and whose it was first.
/// </summary>
internal sealed class StoredBody
{
    public StoredBody(BodyKey key, CoapResult result)
    {
        Key = key;
        Result = result;
    }

    /// <summary>The key of the request, with the entity-tag.</summary>
    public BodyKey Key { get; }

    /// <summary>Code, options of every block, and the whole payload.</summary>
    public CoapResult Result { get; }

    /// <summary>How many transfers use it.</summary>
    public int Users { get; set; }

    /// <summary>Of which part of the bound it was taken.</summary>
    public BodyStanding Standing { get; set; }

    public long Size => Result.Payload.Length + Key.Size + 512L;

    public bool IsSame(CoapResult other) =>
        Result.Code == other.Code && (Result.Payload.Equals(other.Payload) || Result.Payload.Span.SequenceEqual(other.Payload.Span))
        && HasSameOptions(other);

    private bool HasSameOptions(CoapResult other)
    {
        CoapOptionCollection? options = Result.OptionsToRead;
        CoapOptionCollection? others = other.OptionsToRead;
        int count = options?.Count ?? 0;
        if (count != (others?.Count ?? 0))
        {
            return false;
        }

        for (int i = 0; i < count; i++)
        {
            if (options!.NumberAt(i) != others!.NumberAt(i) || !options.ValueAt(i).SequenceEqual(others.ValueAt(i)))
            {
                return false;
            }
        }

        return true;
    }
}
