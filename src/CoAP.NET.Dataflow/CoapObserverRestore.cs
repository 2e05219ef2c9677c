namespace CoAP.NET;

/// <summary>What became of an observer that was to be put back (<see cref="CoapServer.RestoreObserver"/>).</summary>
public enum CoapObserverRestore
{
    /// <summary>It observes again, and is sent the newest state.</summary>
    Restored,

    /// <summary>The client has registered with that token meanwhile, so it observes already.</summary>
    IsThere,

    /// <summary>No route serves the request to observers, or the client would not be let in.</summary>
    NotServed,

    /// <summary>A bound is reached, such as <see cref="CoapLimits.MaxObservers"/>.</summary>
    NoRoom,

    /// <summary>The endpoint stops.</summary>
    Stopping,

    /// <summary>The session of the client has just ended here. Another process may go on with it, and put the observer back.</summary>
    Gone,
}
