namespace CoAP.NET.RequestSteps;

/// <summary>
/// The state of a peer for the request steps: results of earlier requests that later ones use. Created when the first is set. Thread-safe.
/// </summary>
internal sealed class PeerRequestStepState : IPeerFeatureState
{
    private byte[]? _echoToReturn;
    private int _longTokens;

    /// <summary>The Echo value from the peer that the next request must return (RFC 9175 section 2.3).</summary>
    public byte[]? EchoToReturn
    {
        get => Volatile.Read(ref _echoToReturn);
        set => Volatile.Write(ref _echoToReturn, value);
    }

    /// <summary>Whether the peer supports long tokens, until <see cref="LongTokensUntil"/>.</summary>
    public LongTokenSupport LongTokens
    {
        get => (LongTokenSupport)Volatile.Read(ref _longTokens);
        set => Volatile.Write(ref _longTokens, (int)value);
    }

    /// <summary>The expiry of <see cref="LongTokens"/>, in units of 100 ns.</summary>
    public long LongTokensUntil { get; set; }

    /// <summary>Whether the peer is a proxy that refused Proxy-Uri and accepted Proxy-Scheme (RFC 7252 section 5.10.2). A hint.</summary>
    public bool TakesProxyScheme { get; set; }

    /// <summary>Returns the state of a peer; null for none.</summary>
    public static PeerRequestStepState? Of(CoapChannel channel) => channel.FeatureState<PeerRequestStepState>(PeerFeatureKind.RequestSteps);

    /// <summary>Returns the state of a peer; creates it if it is missing.</summary>
    public static PeerRequestStepState GetOrAdd(CoapChannel channel) =>
        channel.GetOrAddFeatureState<PeerRequestStepState>(PeerFeatureKind.RequestSteps);

    /// <summary>Returns <see cref="EchoToReturn"/> and clears it, because it is sent only once.</summary>
    public byte[]? TakeEchoToReturn() => EchoToReturn is null ? null : Interlocked.Exchange(ref _echoToReturn, null);

    /// <summary>Returns true for the one caller that must test whether the peer supports long tokens.</summary>
    public bool TryBeginTokenProbe() =>
        Interlocked.CompareExchange(ref _longTokens, (int)LongTokenSupport.Asking, (int)LongTokenSupport.Unknown)
            == (int)LongTokenSupport.Unknown;
}
