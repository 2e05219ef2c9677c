namespace CoAP.NET.Dtls;

/// <summary>What became of a session that was to be loaded.</summary>
public enum CoapDtlsSessionLoad
{
    /// <summary>It is there, and goes on when it is needed and the keeper has confirmed its further numbers.</summary>
    Loaded,

    /// <summary>This is no state of a session, it was changed, or it was encrypted with another key.</summary>
    Unreadable,

    /// <summary>It was silent for too long (<see cref="CoapDtlsServerOptions.SessionIdleTimeout"/>).</summary>
    Expired,

    /// <summary>It is there already, or its client has made a new one.</summary>
    Known,

    /// <summary>Its keys have no further numbers. Its client makes a new session.</summary>
    UsedUp,

    /// <summary>The server has stopped.</summary>
    Stopped,
}
