namespace CoAP.NET.Peers;

/// <summary>
/// The state of one chapter for one peer. The channel keeps it (<see cref="CoapChannel.Part"/>), and only its chapter knows what it is.
/// </summary>
internal interface IPeerFeatureState
{
    /// <summary>Whether the chapter waits for an answer of the peer. Under the shard's lock.</summary>
    bool IsPending => false;
}

/// <summary>The chapters that keep state with a channel.</summary>
internal enum PeerFeatureKind
{
    /// <summary>Connections and sessions: the signalling state.</summary>
    Signalling,

    /// <summary>Exchanges: pending requests and standing tokens.</summary>
    Exchanges,

    /// <summary>Observation: what the peer observes.</summary>
    Observing,

    /// <summary>The pool of connections: the target that opened the connection.</summary>
    Connecting,

    /// <summary>The application's view of the peer.</summary>
    Application,
}

/// <summary>The parts of one peer, by their chapter.</summary>
[System.Runtime.CompilerServices.InlineArray(5)]
internal struct PeerFeatureStateSlots
{
    private IPeerFeatureState? _first;
}
