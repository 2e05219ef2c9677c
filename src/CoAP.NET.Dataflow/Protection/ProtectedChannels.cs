using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Protection;

/// <summary>The protected peers behind one channel: a proxy may bring the messages of many. Guarded by the shard's lock.</summary>
/// <param name="maxIdle">How many are kept that nothing is under way with (<see cref="CoapLimits.MaxProtectedPeers"/>). Their contexts are
/// kept elsewhere, so a peer comes back when it is heard.</param>
internal sealed class ProtectedChannels(int maxIdle)
{
    private readonly Dictionary<CoapSecurityContext, CoapChannel> _channels = [];
    private CoapChannel? _latest;

    // Whose requests of ours wait for a response: a token says nothing of the security context (RFC 8613 section 8.4).
    private readonly Dictionary<CoapToken, CoapChannel> _tokens = [];

    /// <summary>The one that was found last; mostly there is only one. Needs no lock; it may be forgotten.</summary>
    public CoapChannel? Latest => Volatile.Read(ref _latest);

    /// <summary>The channels.</summary>
    public IReadOnlyCollection<CoapChannel> All => _channels.Values;

    /// <summary>Whether something is under way with one of them.</summary>
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

    public bool TryGet(CoapSecurityContext context, [NotNullWhen(true)] out CoapChannel? channel)
    {
        bool isThere = _channels.TryGetValue(context, out channel);
        Volatile.Write(ref _latest, channel);
        return isThere;
    }

    /// <summary>Finds whose token a response carries.</summary>
    public bool TryFind(CoapToken token, [NotNullWhen(true)] out CoapChannel? channel) => _tokens.TryGetValue(token, out channel);

    /// <summary>A request of ours, or an observation, of a protected peer begins. Does nothing for other peers.</summary>
    public static void Begin(CoapChannel channel, CoapToken token)
    {
        if (channel.Carried is { Carrier.ProtectedOnes: { } all })
        {
            all._tokens[token] = channel;
        }
    }

    /// <summary>It has ended.</summary>
    public static void End(CoapChannel channel, CoapToken token)
    {
        if (channel.Carried is { } carried)
        {
            carried.Carrier.ProtectedOnes?._tokens.Remove(token);
            carried.Doubts?.Remove(token);
            carried.Peer.OnRequestEnded(token);
        }
    }

    /// <summary>An observer has gone without a last response. Does nothing for other peers.</summary>
    public static void EndObserver(CoapChannel channel, CoapToken token) => channel.Carried?.Peer.OnObserverGone(token);

    /// <summary>A response to a request of ours came without protection. The first one is kept, as long as the request waits.</summary>
    public static void Doubt(CoapChannel channel, CoapToken token, CoapException error) =>
        (channel.Carried!.Doubts ??= []).TryAdd(token, error);

    /// <summary>What came without protection in place of a response; null for nothing.</summary>
    public static CoapException? DoubtOf(CoapChannel channel, CoapToken token) =>
        channel.Carried?.Doubts is { } doubts ? doubts.GetValueOrDefault(token) : null;

    public void Add(CoapSecurityContext context, CoapChannel channel)
    {
        if (_channels.Count >= maxIdle)
        {
            foreach ((CoapSecurityContext idle, CoapChannel candidate) in _channels)
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

    /// <summary>A peer is forgotten, with which nothing is under way.</summary>
    public void Remove(CoapChannel channel)
    {
        CarriedChannel carried = channel.Carried!;
        channel.IsForgotten = true;
        _channels.Remove(carried.Context);
        Volatile.Write(ref _latest, null);
        if (_channels.Count == 0 && _tokens.Count == 0)
        {
            carried.Carrier.ProtectedOnes = null;
        }
    }

    /// <summary>The channel that carries them is forgotten, or its connection has ended.</summary>
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
