namespace CoAP.NET.Oscore.Endpoints;

/// <summary>The identification of a security context in a request, as a view of the message.</summary>
/// <param name="kid">The ID of the sender.</param>
/// <param name="hasIdContext">Whether it names an ID Context, which may be empty.</param>
/// <param name="idContext">The ID Context.</param>
internal readonly ref struct OscoreRecipientName(ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext)
{
    private readonly ReadOnlySpan<byte> _kid = kid;
    private readonly ReadOnlySpan<byte> _idContext = idContext;
    private readonly bool _hasIdContext = hasIdContext;

    /// <summary>Whether it equals another one.</summary>
    public bool Is(OscoreContextLookupKey recipient)
    {
        OscoreRecipientName other = recipient.Name;
        return _kid.SequenceEqual(other._kid) && _hasIdContext == other._hasIdContext && _idContext.SequenceEqual(other._idContext);
    }

    /// <summary>Returns a hash that senders cannot predict.</summary>
    public int Hash()
    {
        HashCode hash = default;
        hash.AddBytes(_kid);
        hash.Add(_hasIdContext);
        hash.AddBytes(_idContext);
        return hash.ToHashCode();
    }

    /// <summary>Returns a copy.</summary>
    public OscoreContextLookupKey ToRecipient() => new(_kid, _hasIdContext, _idContext);
}
