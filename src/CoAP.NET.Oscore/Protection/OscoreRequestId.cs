namespace CoAP.NET.Oscore;

/// <summary>
/// By what a request is known to its response: <c>kid</c> and Partial IV stand in the additional data of both, and the response may use the
/// nonce of the request, once (RFC 8613 sections 5.4 and 8).
/// </summary>
internal sealed class OscoreRequestId
{
    private readonly byte[] _kid;
    private int _nonceUsed;

    /// <summary>Makes it.</summary>
    /// <param name="kid">The Sender ID of who sent the request; not copied.</param>
    /// <param name="number">The number of the request.</param>
    public OscoreRequestId(byte[] kid, ulong number)
    {
        _kid = kid;
        Number = number;
    }

    /// <summary>
    /// The context of the run in which it was sent, where keys are derived anew (RFC 8613 appendix B.2); null for the context itself.
    /// </summary>
    public OscoreContext? Derived { get; init; }

    /// <summary>The Sender ID of who sent the request.</summary>
    public ReadOnlySpan<byte> Kid => _kid;

    /// <summary>The number of the request, which is its Partial IV.</summary>
    public ulong Number { get; }

    /// <summary>
    /// Whether a response may use the nonce of the request at all: not of a request that may be a replay, whose response had it already.
    /// </summary>
    public bool MayUseNonce { get; private init; } = true;

    /// <summary>Makes that of a request of which nobody knows whether it came before (RFC 8613 appendix B.1.2).</summary>
    public static OscoreRequestId OfDoubtful(byte[] kid, ulong number) => new(kid, number) { MayUseNonce = false };

    /// <summary>
    /// Takes the nonce of the request for a response, which only one may have: two plaintexts under one nonce and key can be read without
    /// the key.
    /// </summary>
    /// <returns>Whether the caller is the first.</returns>
    public bool TryUseNonce() => Interlocked.Exchange(ref _nonceUsed, 1) == 0;
}
