namespace CoAP.NET.Observing.Client;

/// <summary>The phases of the registration of a <see cref="ClientObservation"/>.</summary>
internal enum RegistrationPhase : byte
{
    /// <summary>The address of the peer is being resolved, or a connection opened.</summary>
    /// <remarks>The observation begins, the next attempt is due, or a caller requests one.</remarks>
    Finding,

    /// <summary>The registration was sent, and its response is awaited.</summary>
    /// <remarks>The peer is found; nothing listens at its first address; or the server requests an Echo.</remarks>
    Registering,

    /// <summary>The server notifies, and the newest notification is fresh.</summary>
    /// <remarks>A notification arrives, also one of an earlier registration; or an earlier process had the registration.</remarks>
    Registered,

    /// <summary>The newest notification is not fresh; another registration follows if a reader wants it.</summary>
    /// <remarks>Max-Age ends.</remarks>
    Stale,

    /// <summary>Another registration follows after a delay.</summary>
    /// <remarks>An attempt fails, the server answers with an error or does not notify, or the connection ends.</remarks>
    Waiting,

    /// <summary>The server is being told that it ended, or messages of the server may still arrive.</summary>
    /// <remarks>The last reader leaves, and the server may have the registration.</remarks>
    Cancelling,

    /// <summary>It ended by itself: no registration follows, and readers remain.</summary>
    /// <remarks>No reader wants another registration after a failure, the peer cannot come back, or the endpoint stops.</remarks>
    Over,

    /// <summary>Its place among the observations of the endpoint is free.</summary>
    /// <remarks>The cancellation is complete, or the last reader leaves without one.</remarks>
    Released,
}
