namespace CoAP.NET.Dtls.Sessions;

/// <summary>The limits of a server.</summary>
internal sealed record DtlsServerLimits
{
    private static readonly CoapDtlsOptions s_options = new();
    private static readonly CoapDtlsServerOptions s_server = new();

    /// <summary>Maximum number of sessions; a new one evicts one of the source that has most.</summary>
    public int MaxSessions { get; init; } = s_server.MaxSessions;

    /// <summary>Maximum number of sessions of one source.</summary>
    public int MaxSessionsPerAddress { get; init; } = s_server.MaxSessionsPerAddress;

    /// <summary>Maximum number of sessions of one identity.</summary>
    public int MaxSessionsPerIdentity { get; init; } = s_server.MaxSessionsPerIdentity;

    /// <summary>Maximum number of pending handshakes; for a new one the server gives up one of the source that has most.</summary>
    public int MaxHandshakes { get; init; } = s_server.MaxHandshakes;

    /// <summary>Maximum number of pending handshakes of one source.</summary>
    public int MaxHandshakesPerAddress { get; init; } = s_server.MaxHandshakesPerAddress;

    /// <summary>Maximum duration of a handshake.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = s_options.HandshakeTimeout;

    /// <summary>Maximum silence of a session before it ends.</summary>
    public TimeSpan IdleTimeout { get; init; } = s_server.SessionIdleTimeout;

    /// <summary>
    /// Maximum number of forged records before a session ends, besides the limit of its cipher suite
    /// (<see cref="Records.CipherSuite.MaxForgeries"/>).
    /// </summary>
    public long MaxForgeries { get; init; } = long.MaxValue;
}
