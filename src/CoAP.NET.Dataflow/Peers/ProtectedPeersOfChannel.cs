using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Peers;

/// <summary>The protected peers behind one channel: a proxy may carry the messages of many. Guarded by the shard's lock.</summary>
/// <param name="maxIdle">
/// The maximum number of idle peers (<see cref="CoapPeerStateLimits.MaxProtectedPerAddress"/>). Their contexts are kept elsewhere, so a
/// message brings a peer back.
/// </param>
internal sealed class ProtectedPeersOfChannel(int maxIdle) : IPeerFeatureState
{
    private readonly Dictionary<CoapObjectSecurityContext, CoapChannel> _channels = [];
    private CoapChannel? _latest;

    // The peers of pending requests: a token does not identify the security context (RFC 8613 section 8.4).
    private readonly Dictionary<CoapToken, CoapChannel> _tokens = [];

    /// <summary>The most recently found peer; mostly there is only one. Needs no lock; the peer may be forgotten.</summary>
    public CoapChannel? Latest => Volatile.Read(ref _latest);

    /// <summary>Returns the protected peers that a channel carries; null for none. Guarded by Shard.Gate.</summary>
    public static ProtectedPeersOfChannel? Of(CoapChannel channel) =>
        channel.FeatureState<IPeerFeatureState>(PeerFeatureKind.Protection) as ProtectedPeersOfChannel;

    public IReadOnlyCollection<CoapChannel> All => _channels.Values;

    /// <summary>Whether something is pending with one of them.</summary>
    public bool IsPinned
    {
        get
        {
            foreach (CoapChannel channel in _channels.Values)
            {
                if (channel.Pins > 0)
                {
                    return true;
                }
            }

            return false;
        }
    }

    public bool TryGet(CoapObjectSecurityContext context, [NotNullWhen(true)] out CoapChannel? channel)
    {
        bool isThere = _channels.TryGetValue(context, out channel);
        Volatile.Write(ref _latest, channel);
        return isThere;
    }

    /// <summary>Finds the peer of a response by its token.</summary>
    public bool TryFind(CoapToken token, [NotNullWhen(true)] out CoapChannel? channel) => _tokens.TryGetValue(token, out channel);

    /// <summary>Records the start of a request to a protected peer, or of its observation. Does nothing for other peers.</summary>
    public static void Begin(CoapChannel channel, CoapToken token)
    {
        if (channel.Carried is { } carried && Of(carried.Carrier) is { } all)
        {
            all._tokens[token] = channel;
        }
    }

    /// <summary>Records the end of the request or observation.</summary>
    public static void End(CoapChannel channel, CoapToken token)
    {
        if (channel.Carried is { } carried)
        {
            Of(carried.Carrier)?._tokens.Remove(token);
            carried.Doubts?.Remove(token);
            carried.Peer.OnRequestEnded(token);
        }
    }

    /// <summary>Reports an observer that left without a last response. Does nothing for other peers.</summary>
    public static void EndObserver(CoapChannel channel, CoapToken token) => channel.Carried?.Peer.OnObserverGone(token);

    /// <summary>Stores an unprotected response to a request. The first one is kept as long as the request waits.</summary>
    public static void Doubt(CoapChannel channel, CoapToken token, CoapException error) =>
        (channel.Carried!.Doubts ??= []).TryAdd(token, error);

    /// <summary>Returns the unprotected response that arrived in place of a valid one; null for none.</summary>
    public static CoapException? DoubtOf(CoapChannel channel, CoapToken token) =>
        channel.Carried?.Doubts is { } doubts ? doubts.GetValueOrDefault(token) : null;

    public void Add(CoapObjectSecurityContext context, CoapChannel channel)
    {
        if (_channels.Count >= maxIdle)
        {
            foreach ((CoapObjectSecurityContext idle, CoapChannel candidate) in _channels)
            {
                if (candidate.Pins == 0)
                {
                    candidate.IsForgotten = true;
                    _channels.Remove(idle);
                }
            }
        }

        _channels.Add(context, channel);
        Volatile.Write(ref _latest, channel);
    }

    /// <summary>Removes an idle peer.</summary>
    public void Remove(CoapChannel channel)
    {
        ProtectedChannelData carried = channel.Carried!;
        channel.IsForgotten = true;
        _channels.Remove(carried.Context);
        Volatile.Write(ref _latest, null);
        if (_channels.Count == 0 && _tokens.Count == 0)
        {
            carried.Carrier.SetFeatureState(PeerFeatureKind.Protection, null);
        }
    }

    /// <summary>Removes all peers: the carrying channel is forgotten, or its connection has ended.</summary>
    public void Clear()
    {
        foreach (CoapChannel channel in _channels.Values)
        {
            channel.IsForgotten = true;
        }

        _channels.Clear();
        Volatile.Write(ref _latest, null);
    }
}
