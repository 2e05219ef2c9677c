namespace CoAP.NET.RequestSteps;

/// <summary>Facts that requests have found out about a peer, for later requests. Created with the first fact. Thread-safe.</summary>
internal sealed class PeerRequestFacts : IPeerFeatureState
{
    private byte[]? _echoToReturn;
    private int _longTokens;

    /// <summary>The Echo value from the peer that the next request must return (RFC 9175 section 2.3).</summary>
    public byte[]? EchoToReturn
    {
        get => Volatile.Read(ref _echoToReturn);
        set => Volatile.Write(ref _echoToReturn, value);
    }

    /// <summary>Whether the peer understands long tokens, until <see cref="LongTokensUntil"/>.</summary>
    public LongTokenSupport LongTokens
    {
        get => (LongTokenSupport)Volatile.Read(ref _longTokens);
        set => Volatile.Write(ref _longTokens, (int)value);
    }

    /// <summary>The expiry of <see cref="LongTokens"/>, in units of 100 ns.</summary>
    public long LongTokensUntil { get; set; }

    /// <summary>Whether the peer is a proxy that refused Proxy-Uri and takes Proxy-Scheme (RFC 7252 section 5.10.2). A hint.</summary>
    public bool TakesProxyScheme { get; set; }

    /// <summary>Returns the facts about a peer; null for none.</summary>
    public static PeerRequestFacts? Of(CoapChannel channel) => channel.Part<PeerRequestFacts>(PeerFeatureKind.RequestSteps);

    /// <summary>Returns the facts about a peer, for another one.</summary>
    public static PeerRequestFacts GetOrAdd(CoapChannel channel) =>
        channel.GetOrAddPart<PeerRequestFacts>(PeerFeatureKind.RequestSteps);

    /// <summary>Takes <see cref="EchoToReturn"/>, which is sent only once.</summary>
    public byte[]? TakeEchoToReturn() => EchoToReturn is null ? null : Interlocked.Exchange(ref _echoToReturn, null);

    /// <summary>Returns true for the caller that must find out about long tokens.</summary>
    public bool TryBeginTokenProbe() =>
        Interlocked.CompareExchange(ref _longTokens, (int)LongTokenSupport.Asking, (int)LongTokenSupport.Unknown)
            == (int)LongTokenSupport.Unknown;
}
