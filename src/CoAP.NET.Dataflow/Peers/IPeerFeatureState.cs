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

    /// <summary>Exchanges: pending requests, and tokens with any number of responses.</summary>
    Exchanges,

    /// <summary>Observation: what the peer observes.</summary>
    Observing,

    /// <summary>The pool of connections: the target that opened the connection.</summary>
    Connecting,

    /// <summary>The application's view of the peer.</summary>
    Application,

    /// <summary>Guarding: the verification of an address, or the last move of a session.</summary>
    Guarding,

    /// <summary>Steps of requests: what earlier requests found out.</summary>
    RequestSteps,

    /// <summary>Block-wise transfer: what earlier transfers found out.</summary>
    Blockwise,

    /// <summary>End-to-end protection: what a protected peer has, or the protected peers behind a channel.</summary>
    Protection,

    /// <summary>Diagnostics: the last dropped message.</summary>
    Diagnostics,

    /// <summary>Several nodes: where the datagrams of the peer arrive.</summary>
    Steering,
}

/// <summary>The parts of one peer, by their chapter.</summary>
[System.Runtime.CompilerServices.InlineArray((int)PeerFeatureKind.Steering + 1)]
internal struct PeerPartSlots
{
    private IPeerFeatureState? _first;
}
