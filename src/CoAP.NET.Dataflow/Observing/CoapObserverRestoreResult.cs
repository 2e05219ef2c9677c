namespace CoAP.NET.Observing;

/// <summary>The result of restoring an observer.</summary>
internal enum CoapObserverRestoreResult
{
    /// <summary>The client observes again, and gets the newest state.</summary>
    Restored,

    /// <summary>The client has registered with the same token meanwhile, so it already observes.</summary>
    IsThere,

    /// <summary>No route serves the request to observers, or the route would not admit the client.</summary>
    NotServed,

    /// <summary>A limit is reached, such as <see cref="CoapObserveLimits.MaxObservers"/>.</summary>
    NoCapacity,

    Stopping,

    /// <summary>The session of the client has just ended here.</summary>
    /// <remarks>Another process may take it over, and restore the observer.</remarks>
    Gone,
}
