namespace CoAP.NET.Dtls.Sessions;

/// <summary>The limits of a server.</summary>
internal sealed record DtlsServerLimits
{
    /// <summary>Maximum number of sessions; a new one evicts one of the source that has most.</summary>
    public int MaxSessions { get; init; } = 100_000;

    /// <summary>Maximum number of sessions of one source.</summary>
    public int MaxSessionsPerAddress { get; init; } = 10_000;

    /// <summary>Maximum number of sessions of one identity.</summary>
    public int MaxSessionsPerIdentity { get; init; } = 10_000;

    /// <summary>Maximum number of pending handshakes; for a new one the server gives up one of the source that has most.</summary>
    public int MaxHandshakes { get; init; } = 1_000;

    /// <summary>Maximum number of pending handshakes of one source.</summary>
    public int MaxHandshakesPerAddress { get; init; } = 50;

    /// <summary>Maximum duration of a handshake.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>Maximum silence of a session before it ends.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromDays(1);

    /// <summary>
    /// Maximum number of forged records before a session ends, besides the limit of its cipher suite
    /// (<see cref="Records.CipherSuite.MaxForgeries"/>).
    /// </summary>
    public long MaxForgeries { get; init; } = long.MaxValue;
}
