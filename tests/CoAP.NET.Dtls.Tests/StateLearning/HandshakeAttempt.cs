namespace CoAP.NET.Dtls.Tests.StateLearning;

/// <summary>What a <see cref="LearningPeer"/> knows of one handshake: randoms, messages, numbers and keys.</summary>
internal sealed class HandshakeAttempt
{
    public HandshakeAttempt() => OwnRandom = Random();

    /// <summary>Creates the beginning of a handshake with the hello of another.</summary>
    /// <param name="other">The other.</param>
    public HandshakeAttempt(HandshakeAttempt other)
    {
        OwnRandom = other.OwnRandom;
        SessionId = other.SessionId;
        Cookie = other.Cookie;
    }

    /// <summary>The random of this end.</summary>
    public byte[] OwnRandom { get; }

    public byte[] PeerRandom { get; set; } = [];

    public byte[] SessionId { get; set; } = [];

    public byte[] Cookie { get; set; } = [];

    /// <summary>Whether it binds the master secret to the handshake (RFC 7627).</summary>
    public bool HasExtendedMasterSecret { get; set; } = true;

    /// <summary>Whether the client offers to resume the earlier session.</summary>
    public bool OffersSession { get; init; }

    /// <summary>The point of the ephemeral key of the system.</summary>
    public byte[] PeerPoint { get; set; } = [];

    /// <summary>The Connection ID in records to the system; empty for none.</summary>
    public byte[] PeerCid { get; set; } = [];

    /// <summary>The number of the next message of this end, which is the one that the system waits for.</summary>
    public ushort Number { get; set; }

    /// <summary>The messages of both ends, in order, as the system has them.</summary>
    public List<byte> Transcript { get; } = [];

    public byte[] Master { get; set; } = [];

    public RecordLayer? Records { get; set; }

    /// <summary>Records with the same keys and without a Connection ID.</summary>
    public RecordLayer? PlainRecords { get; set; }

    public byte[] Hash() => SHA256.HashData([.. Transcript]);

    private static byte[] Random()
    {
        byte[] random = new byte[32];
        CoapRandomSource.Secure.Fill(random);
        return random;
    }
}
