using CoAP.NET.Requests;

namespace CoAP.NET.Exchanges;

/// <summary>The state of the Exchanges stage for a peer that gets requests. Guarded by Shard.Gate.</summary>
internal sealed class PeerExchanges : IPeerFeatureState
{
    private readonly PeerExchanges? _carrier;
    private TokenSequence _tokens;

    // Tokens of an earlier process, which the sequence does not know; null for none.
    private HashSet<CoapToken>? _resumed;

    public PeerExchanges(CoapRandomSource random) => _tokens = new TokenSequence(random);

    /// <summary>Creates the state of a protected peer: its tokens are those of the carrying channel.</summary>
    public PeerExchanges(PeerExchanges carrier) => _carrier = carrier;

    /// <summary>Returns the state of a peer; null for none. Guarded by Shard.Gate.</summary>
    public static PeerExchanges? Of(CoapChannel channel) => channel.FeatureState<PeerExchanges>(PeerFeatureKind.Exchanges);

    /// <summary>Sets the state of a peer; null for none. Guarded by Shard.Gate.</summary>
    public static void Set(CoapChannel channel, PeerExchanges? state) => channel.SetFeatureState(PeerFeatureKind.Exchanges, state);

    /// <summary>Client requests that wait for their response, by token (RFC 7252 section 5.3.2).</summary>
    public Dictionary<CoapToken, ClientRequest> Pending { get; } = [];

    bool IPeerFeatureState.IsPending => Pending.Count > 0;

    /// <summary>
    /// The tokens with any number of responses; null for none: those of observations (RFC 7641 section 3), and those of the messages of a
    /// body in sets of blocks (RFC 9177), whose owner <see cref="ITokenOwner.IsTransfer"/>.
    /// </summary>
    public Dictionary<CoapToken, MultiResponseToken>? MultiResponseTokens { get; set; }

    /// <summary>The number of observations of the peer's resources.</summary>
    public int ObservationCount => MultiResponseTokens?.Values.Count(static token => !token.Owner.IsTransfer) ?? 0;

    /// <param name="length">The length of a long token; up to 8 for a short one.</param>
    public CoapToken NextToken(int length) => _carrier is not null ? _carrier.NextToken(length)
        : length > CoapToken.MaxLength ? _tokens.NextLong(length)
        : NextFree();

    /// <summary>Reserves a token of an earlier process, so the sequence never returns it.</summary>
    /// <param name="token">The token, of 8 bytes at most.</param>
    /// <returns>False when a request has it.</returns>
    public bool TryReserve(CoapToken token)
    {
        if (!IsFree(token))
        {
            return false;
        }

        // Permanently: a late message for it must not match another request.
        (_resumed ??= []).Add(token);
        return true;
    }

    /// <summary>Whether no request to the peer has a token.</summary>
    public bool IsFree(CoapToken token) => !Pending.ContainsKey(token) && MultiResponseTokens?.ContainsKey(token) != true;

    private CoapToken NextFree()
    {
        CoapToken token = _tokens.Next();
        while (_resumed?.Contains(token) == true)
        {
            token = _tokens.Next();
        }

        return token;
    }
}
