namespace CoAP.NET.Proxy.Forwarding;

/// <summary>
/// The key of equal pending requests: the relevant parts of the first one, without a copy. The lookup allocates nothing because few
/// requests find an equal one.
/// </summary>
internal readonly struct SharedRequestKey : IEquatable<SharedRequestKey>
{
    private readonly UpstreamClient _upstream;
    private readonly CoapForwardedRequest _request;
    private readonly CoapChannel? _client;
    private readonly bool _withTags;
    private readonly int _hash;

    /// <summary>Creates the key of a request.</summary>
    /// <param name="upstream">The upstream that sends it.</param>
    /// <param name="request">The request. Its options must not change afterwards.</param>
    /// <param name="withTags">Whether entity-tags are part of the key.</param>
    /// <param name="client">The client, if the response is not the same for all (see <see cref="RequestKey"/>).</param>
    public SharedRequestKey(UpstreamClient upstream, CoapForwardedRequest request, bool withTags, CoapChannel? client)
    {
        _upstream = upstream;
        _request = request;
        _withTags = withTags;
        _client = client;
        _hash = HashCode.Combine(upstream, RequestSharing.HashOf(request, withTags), client);
    }

    /// <inheritdoc/>
    public bool Equals(SharedRequestKey other) =>
        _hash == other._hash
        && _withTags == other._withTags
        && Equals(_upstream, other._upstream)
        && _client == other._client
        && (ReferenceEquals(_request, other._request) || RequestSharing.AreEqual(_request, other._request, _withTags));

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is SharedRequestKey other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => _hash;
}
