namespace CoAP.NET.Oscore.Endpoints;

/// <summary>Identifies a security context by the IDs in the other end's requests.</summary>
internal readonly struct OscoreContextLookupKey : IEquatable<OscoreContextLookupKey>
{
    private readonly byte[] _kid;
    private readonly byte[]? _idContext;

    public OscoreContextLookupKey(ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext)
    {
        _kid = kid.ToArray();
        _idContext = hasIdContext ? idContext.ToArray() : null;
    }

    private OscoreContextLookupKey(byte[] kid, byte[]? idContext) => (_kid, _idContext) = (kid, idContext);

    /// <summary>Returns the identification of a context's other end, which shares its bytes.</summary>
    public static OscoreContextLookupKey Of(OscoreParameters parameters) => new(parameters.RecipientKid, parameters.IdContextOrNull);

    /// <summary>Whether it is empty, as in a new array.</summary>
    public bool IsDefault => _kid is null;

    public ReadOnlyMemory<byte> Kid => _kid;

    public ReadOnlyMemory<byte>? IdContext => _idContext is null ? default(ReadOnlyMemory<byte>?) : _idContext;

    /// <summary>The same as a view without its own memory.</summary>
    public OscoreRecipientName Name => new(_kid, _idContext is not null, _idContext);

    /// <summary>The same without ID Context.</summary>
    public OscoreContextLookupKey WithoutIdContext => new(_kid, null);

    public bool HasKid(ReadOnlySpan<byte> kid) => kid.SequenceEqual(_kid);

    public bool Equals(OscoreContextLookupKey other) => Name.Is(other);

    public override bool Equals(object? obj) => obj is OscoreContextLookupKey other && Equals(other);

    public override int GetHashCode() => Name.Hash();

    public override string ToString() =>
        $"kid {Convert.ToHexStringLower(_kid)}{(_idContext is null ? "" : $" in ID Context {Convert.ToHexStringLower(_idContext)}")}";
}
