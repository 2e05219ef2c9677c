namespace CoAP.NET.Oscore;

/// <summary>How a request names a security context, as its bytes lie in the message.</summary>
/// <param name="kid">The ID of who sent it.</param>
/// <param name="hasIdContext">Whether it names an ID Context, which may be empty.</param>
/// <param name="idContext">The ID Context.</param>
internal readonly ref struct OscoreRecipientName(ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext)
{
    private readonly ReadOnlySpan<byte> _kid = kid;
    private readonly ReadOnlySpan<byte> _idContext = idContext;
    private readonly bool _hasIdContext = hasIdContext;

    /// <summary>Whether it names that one.</summary>
    public bool Is(OscoreRecipient recipient)
    {
        OscoreRecipientName other = recipient.Name;
        return _kid.SequenceEqual(other._kid) && _hasIdContext == other._hasIdContext && _idContext.SequenceEqual(other._idContext);
    }

    /// <summary>The hash, which strangers cannot foresee.</summary>
    public int Hash()
    {
        HashCode hash = default;
        hash.AddBytes(_kid);
        hash.Add(_hasIdContext);
        hash.AddBytes(_idContext);
        return hash.ToHashCode();
    }

    /// <summary>A copy that stays.</summary>
    public OscoreRecipient ToRecipient() => new(_kid, _hasIdContext, _idContext);
}
