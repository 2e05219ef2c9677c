namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>How a client asks to resume the session that it and its server already have.</summary>
internal enum ResumptionBy
{
    /// <summary>Not at all: they have none.</summary>
    None,

    /// <summary>By a session ID (RFC 5246 section 7.3).</summary>
    SessionId,

    /// <summary>By a ticket (RFC 5077); clients only.</summary>
    Ticket,
}

/// <summary>A kind of handshake whose states are learned.</summary>
/// <param name="Name">What pages call it.</param>
/// <param name="Kind">How both ends prove their identity.</param>
/// <param name="Resumption">How the client asks for an earlier session.</param>
/// <param name="HasCid">Whether both ends support Connection IDs.</param>
/// <param name="IsOptional">Whether the server only requests the certificate of the client.</param>
internal sealed record LearnedHandshake(
    string Name, HandshakeKind Kind, ResumptionBy Resumption = ResumptionBy.None, bool HasCid = false, bool IsOptional = false)
{
    /// <summary>The Connection ID that each end assigns, if they have some.</summary>
    public static byte[] ClientCid { get; } = [1, 2, 3, 4];

    /// <summary>The secret of the earlier session.</summary>
    public static byte[] EarlierMaster { get; } = [.. Enumerable.Range(1, 48).Select(static i => (byte)i)];

    /// <summary>The name of the earlier session.</summary>
    public static byte[] EarlierId { get; } = [.. Enumerable.Range(1, 16).Select(static i => (byte)i)];

    /// <summary>The handshakes of a server.</summary>
    public static IReadOnlyList<LearnedHandshake> OfServers { get; } =
    [
        new("pre-shared key", HandshakeKind.Psk),
        new("pre-shared key, Connection IDs", HandshakeKind.Psk, HasCid: true),
        new("pre-shared key, ECDHE", HandshakeKind.EcdhePsk),
        new("certificate of the server", HandshakeKind.Ecdsa),
        new("certificates of both", HandshakeKind.EcdsaMutual),
        new("certificates of both, Connection IDs", HandshakeKind.EcdsaMutual, HasCid: true),
        new("certificate of the client requested", HandshakeKind.EcdsaMutual, IsOptional: true),
        new("raw public keys of both", HandshakeKind.RawPublicKeys),
        new("resumption by session ID", HandshakeKind.Psk, ResumptionBy.SessionId),
        new("resumption by session ID, Connection IDs", HandshakeKind.Psk, ResumptionBy.SessionId, HasCid: true),
    ];

    /// <summary>The handshakes of a client.</summary>
    public static IReadOnlyList<LearnedHandshake> OfClients { get; } =
    [
        new("pre-shared key", HandshakeKind.Psk),
        new("pre-shared key, Connection IDs", HandshakeKind.Psk, HasCid: true),
        new("pre-shared key, ECDHE", HandshakeKind.EcdhePsk),
        new("certificate of the server", HandshakeKind.Ecdsa),
        new("certificates of both", HandshakeKind.EcdsaMutual),
        new("raw public keys of both", HandshakeKind.RawPublicKeys),
        new("raw public keys of both, Connection IDs", HandshakeKind.RawPublicKeys, HasCid: true),
        new("resumption by session ID", HandshakeKind.Psk, ResumptionBy.SessionId),
        new("resumption by ticket", HandshakeKind.Psk, ResumptionBy.Ticket),
        new("resumption by ticket, Connection IDs", HandshakeKind.Psk, ResumptionBy.Ticket, HasCid: true),
    ];

    public override string ToString() => Name;
}
