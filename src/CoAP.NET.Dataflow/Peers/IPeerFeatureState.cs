namespace CoAP.NET.Peers;

/// <summary>
/// The state that one feature keeps for a peer. The channel stores it (<see cref="CoapChannel.FeatureState"/>) and does not interpret it.
/// </summary>
internal interface IPeerFeatureState
{
    /// <summary>Whether the feature waits for an answer of the peer. The caller holds the lock of the shard.</summary>
    bool IsPending => false;
}

/// <summary>The features that store state in a channel.</summary>
internal enum PeerFeatureKind
{
    /// <summary>Connections and sessions: the signalling state.</summary>
    Signalling,

    /// <summary>Exchanges: pending requests, and tokens with any number of responses.</summary>
    Exchanges,

    /// <summary>Observation: the observers of the peer.</summary>
    Observing,

    /// <summary>The pool of connections: the entry of the connection.</summary>
    Connecting,

    /// <summary>The application's view of the peer.</summary>
    Application,

    /// <summary>Guarding: the verification of an address, or the last change of the address of a session.</summary>
    Guarding,

    /// <summary>Request steps: the results of earlier requests that later ones use.</summary>
    RequestSteps,

    /// <summary>Block-wise transfer: the results of earlier transfers that later ones use.</summary>
    Blockwise,

    /// <summary>End-to-end protection: the data of a protected peer, or the protected peers behind a channel.</summary>
    Protection,

    /// <summary>Diagnostics: the last dropped message.</summary>
    Diagnostics,

    /// <summary>Steering: the node at which the datagrams of the peer arrive.</summary>
    Steering,
}

/// <summary>The states of one peer, one slot per feature.</summary>
[System.Runtime.CompilerServices.InlineArray((int)PeerFeatureKind.Steering + 1)]
internal struct PeerFeatureStateSlots
{
    private IPeerFeatureState? _first;
}
