namespace CoAP.NET.Proxy.Forwarding;

/// <summary>What equal requests have in common that are under way at a time: the parts of the first one that count, where it has them.
/// Nothing is made to look for an equal one, which few requests find.</summary>
internal readonly struct FlightKey : IEquatable<FlightKey>
{
    private readonly CoapProxyUpstream _upstream;
    private readonly CoapProxyRequest _request;
    private readonly object? _identity;
    private readonly bool _withTags;
    private readonly int _hash;

    /// <summary>Makes the key of a request.</summary>
    /// <param name="upstream">Who is asked.</param>
    /// <param name="request">The request. Its options are not changed any more.</param>
    /// <param name="withTags">Whether entity-tags count.</param>
    /// <param name="identity">For whom, where it is not the same for everybody (see <see cref="RequestKey"/>).</param>
    public FlightKey(CoapProxyUpstream upstream, CoapProxyRequest request, bool withTags, object? identity)
    {
        _upstream = upstream;
        _request = request;
        _withTags = withTags;
        _identity = identity;
        _hash = HashCode.Combine(upstream, Sharing.HashOf(request, withTags), identity);
    }

    /// <inheritdoc/>
    public bool Equals(FlightKey other) =>
        _hash == other._hash
        && _withTags == other._withTags
        && Equals(_upstream, other._upstream)
        && Equals(_identity, other._identity)
        && (ReferenceEquals(_request, other._request) || Sharing.AreEqual(_request, other._request, _withTags));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is FlightKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _hash;
}
