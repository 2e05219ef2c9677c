namespace CoAP.NET.Dtls.Sessions;

/// <summary>How much a server keeps of peers.</summary>
internal sealed record DtlsServerLimits
{
    /// <summary>Most sessions; the one idle longest makes room.</summary>
    public int MaxSessions { get; init; } = 100_000;

    /// <summary>Most handshakes under way; more are not begun.</summary>
    public int MaxHandshakes { get; init; } = 1_000;

    /// <summary>Most of them with one IPv4 address or IPv6 /64.</summary>
    public int MaxHandshakesPerAddress { get; init; } = 50;

    /// <summary>How long a handshake may take.</summary>
    public TimeSpan HandshakeTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>After so long a silence a session ends.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromDays(1);

    /// <summary>How many forged records a session survives: with tags of 8 bytes a forger may have 2^23.5 tries at most (RFC 9147 section 4.5.3); far less is far more than accidents.</summary>
    public long MaxForgeries { get; init; } = DtlsSession.DefaultMaxForgeries;
}
