namespace CoAP.NET.Exchanges;

/// <summary>What the Exchanges stage keeps for a peer that we sent requests to. Guarded by Shard.Gate.</summary>
internal sealed class PeerExchanges
{
    private readonly PeerExchanges? _carrier;
    private TokenSequence _tokens;

    // Tokens of a process before, which the sequence knows nothing of; null for none.
    private HashSet<CoapToken>? _adopted;

    public PeerExchanges(CoapRandomSource random) => _tokens = new TokenSequence(random);

    /// <summary>Makes what is kept for a protected peer: its tokens are those of the channel that carries it.</summary>
    public PeerExchanges(PeerExchanges carrier) => _carrier = carrier;

    /// <summary>Our requests that wait for their response, by token (RFC 7252 section 5.3.2).</summary>
    public Dictionary<CoapToken, ClientRequest> Pending { get; } = [];

    /// <summary>Our observations of the peer's resources, by token; null when there are none (RFC 7641 section 3).</summary>
    public Dictionary<CoapToken, StandingRequest>? Standing { get; set; }

    /// <param name="length">The length of a long token; anything up to 8 for a short one.</param>
    public CoapToken NextToken(int length) => _carrier is not null ? _carrier.NextToken(length)
        : length > CoapToken.MaxLength ? _tokens.NextLong(length)
        : NextFree();

    /// <summary>Sets a token of a process before aside, which the sequence then never gives.</summary>
    /// <param name="token">The token, of 8 bytes at most.</param>
    /// <returns>False when a request has it.</returns>
    public bool TryReserve(CoapToken token)
    {
        if (Pending.ContainsKey(token) || Standing?.ContainsKey(token) == true)
        {
            return false;
        }

        // For good: what comes late for it must meet nobody else's request.
        (_adopted ??= []).Add(token);
        return true;
    }

    private CoapToken NextFree()
    {
        CoapToken token = _tokens.Next();
        while (_adopted?.Contains(token) == true)
        {
            token = _tokens.Next();
        }

        return token;
    }
}
