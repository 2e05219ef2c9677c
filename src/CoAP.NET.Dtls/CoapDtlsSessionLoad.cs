namespace CoAP.NET.Dtls;

/// <summary>The result of loading a session.</summary>
internal enum CoapDtlsSessionLoad
{
    /// <summary>The session is loaded. It continues when it is needed and the backup has confirmed further record numbers.</summary>
    Loaded,

    /// <summary>The bytes are not the state of a session, are corrupted, or use another key.</summary>
    Unreadable,

    /// <summary>The session was silent for too long (<see cref="CoapDtlsServerOptions.SessionIdleTimeout"/>).</summary>
    Expired,

    /// <summary>The server already has the session, or its client has opened a new one.</summary>
    Known,

    /// <summary>The keys of the session have no further record numbers. Its client opens a new session.</summary>
    UsedUp,

    /// <summary>The server has stopped.</summary>
    Stopped,
}
