namespace CoAP.NET.Oscore;

/// <summary>How a security context is named by the requests of the other end.</summary>
internal readonly struct OscoreRecipient : IEquatable<OscoreRecipient>
{
    private readonly byte[] _kid;
    private readonly byte[]? _idContext;

    public OscoreRecipient(ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext)
    {
        _kid = kid.ToArray();
        _idContext = hasIdContext ? idContext.ToArray() : null;
    }

    public static OscoreRecipient Of(OscoreParameters parameters) =>
        new(parameters.RecipientId.Span, parameters.HasIdContext, parameters.IdContextBytes);

    /// <summary>Whether it is none, as in an array.</summary>
    public bool IsDefault => _kid is null;

    public ReadOnlyMemory<byte> Kid => _kid;

    public ReadOnlyMemory<byte>? IdContext => _idContext is null ? default(ReadOnlyMemory<byte>?) : _idContext;

    public bool HasKid(ReadOnlySpan<byte> kid) => kid.SequenceEqual(_kid);

    public bool Equals(OscoreRecipient other) =>
        _kid.AsSpan().SequenceEqual(other._kid)
        && (_idContext is null) == (other._idContext is null)
        && _idContext.AsSpan().SequenceEqual(other._idContext);

    public override bool Equals(object? obj) => obj is OscoreRecipient other && Equals(other);

    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.AddBytes(_kid);
        hash.Add(_idContext is null);
        hash.AddBytes(_idContext);
        return hash.ToHashCode();
    }

    public override string ToString() =>
        $"kid {Convert.ToHexStringLower(_kid)}{(_idContext is null ? "" : $" in ID Context {Convert.ToHexStringLower(_idContext)}")}";
}
