namespace CoAP.NET;

/// <summary>Why an observer of a resource of ours is one no more, as <see cref="CoapRouteHandlerBuilder.ObserverWent"/> tells it.</summary>
public enum CoapObserverEnd
{
    /// <summary>The client asked for it: Observe 1 (RFC 7641 section 3.6).</summary>
    Deregistered,

    /// <summary>The client rejected a notification by a Reset (RFC 7641 section 3.2).</summary>
    Rejected,

    /// <summary>The client did not acknowledge a notification, or was not reachable (RFC 7641 section 4.5).</summary>
    Lost,

    /// <summary>Its connection ended (RFC 8323 section 7.4).</summary>
    Disconnected,

    /// <summary>
    /// It was told an error, or that the representation has another Content-Format now (RFC 7641 section 4.2), or the handler declines
    /// observers from now on (<see cref="CoapResult.DeclinesObserver"/>).
    /// </summary>
    Failed,

    /// <summary>The route was removed; it was told 4.04.</summary>
    Unmapped,

    /// <summary>
    /// The same client observes something else under the same token, other newcomers took the room of one that was heard once, or a client
    /// of a source with fewer observers took its place when there was none left (<see cref="CoapLimits.MaxObservers"/>,
    /// <see cref="CoapObserverTerms.MaxObservers"/>), or the resource takes fewer observers than before.
    /// </summary>
    Replaced,

    /// <summary>The answer to its registration did not leave, so it never learned that it was an observer.</summary>
    NotAnswered,

    /// <summary>The endpoint stopped.</summary>
    Stopped,

    /// <summary>
    /// Another process goes on with its session, and may put it back (<see cref="CoapServer.TryRestoreObserver"/>): who keeps observers
    /// keeps it.
    /// </summary>
    HandedOver,
}
