namespace CoAP.NET.Oscore.Protection;

/// <summary>
/// Identifies a request for its response: the additional data of both contains <c>kid</c> and Partial IV, and one response may use the
/// nonce of the request (RFC 8613 sections 5.4 and 8).
/// </summary>
internal sealed class OscoreRequestId
{
    private readonly byte[] _kid;
    private int _nonceUsed;

    /// <summary>Creates the identification.</summary>
    /// <param name="kid">The Sender ID of the request's sender; not copied.</param>
    /// <param name="number">The number of the request.</param>
    public OscoreRequestId(byte[] kid, ulong number)
    {
        _kid = kid;
        Number = number;
    }

    /// <summary>
    /// The context of the run of the request, for contexts that derive new keys (RFC 8613 appendix B.2); null for the context itself.
    /// </summary>
    public OscoreContext? Derived { get; init; }

    /// <summary>The Sender ID of the request's sender.</summary>
    public ReadOnlySpan<byte> Kid => _kid;

    /// <summary>The number of the request, which is its Partial IV.</summary>
    public ulong Number { get; }

    /// <summary>
    /// Whether a response may use the nonce of the request. False for a request that may be a replay, whose original response already used
    /// it.
    /// </summary>
    public bool MayUseNonce { get; private init; } = true;

    /// <summary>Creates the identification of a request that may be a replay (RFC 8613 appendix B.1.2).</summary>
    public static OscoreRequestId OfDoubtful(byte[] kid, ulong number) => new(kid, number) { MayUseNonce = false };

    /// <summary>
    /// Claims the nonce of the request for a single response: two plaintexts under one nonce and key are readable without the key.
    /// </summary>
    /// <returns>Whether the caller is the first.</returns>
    public bool TryUseNonce() => Interlocked.Exchange(ref _nonceUsed, 1) == 0;
}
