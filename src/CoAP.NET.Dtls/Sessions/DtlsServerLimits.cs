namespace CoAP.NET.Dtls.Sessions;

/// <summary>How much a server keeps of peers.</summary>
internal sealed record DtlsServerLimits
{
    /// <summary>Most sessions; one of the source that has most makes room.</summary>
    public int MaxSessions { get; init; } = 100_000;

    /// <summary>Most sessions of one source.</summary>
    public int MaxSessionsPerAddress { get; init; } = 10_000;

    /// <summary>Most sessions of one identity.</summary>
    public int MaxSessionsPerIdentity { get; init; } = 10_000;

    /// <summary>Most handshakes under way; for one more, one of the source that has most is given up.</summary>
    public int MaxHandshakes { get; init; } = 1_000;

    /// <summary>Most of them of one source.</summary>
    public int MaxHandshakesPerAddress { get; init; } = 50;

    /// <summary>How long a handshake may take.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>After so long a silence a session ends.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromDays(1);

    /// <summary>
    /// How many forged records a session survives at most, besides what its cipher suite allows
    /// (<see cref="Records.CipherSuite.MaxForgeries"/>).
    /// </summary>
    public long MaxForgeries { get; init; } = long.MaxValue;
}
