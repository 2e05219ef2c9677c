namespace CoAP.NET.Dtls.Tests.Rules;

/// <summary>Sessions are not renegotiated (RFC 7925 section 17).</summary>
public sealed class RenegotiationTests
{
    private static readonly byte[] s_key = "secretPSK"u8.ToArray();
    private static readonly DtlsPath s_path = new(CoapAddress.FromIPv4(0x7F000001, 5_684), default, 0);

    // HelloRequest of a server, ClientHello of a client: handshake messages without content are enough, as they are not looked into.
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("7925-17-1")]
    public void A_renegotiation_is_refused_and_the_session_continues(bool isServer)
    {
        using HandshakePair pair = new(
            new HandshakeSettings { IsServer = false, Suites = CipherSuite.All },
            new HandshakeSettings { IsServer = true, Suites = [CipherSuite.All[0]] }, "user", s_key);
        pair.Keys["user"] = s_key;
        pair.Client.Start(null);
        pair.Run();
        List<byte[]> sent = [];
        BenchSink sink = new((_, datagram) => sent.Add(datagram));
        DtlsSession session = new((isServer ? (Handshake)pair.Server! : pair.Client).Establish(), s_path, sink, new VirtualClock())
        {
            IsInitiator = !isServer
        };
        RecordLayer peer = (isServer ? (Handshake)pair.Client : pair.Server!).Establish().Records;
        byte[] hello = new byte[12];
        hello[0] = (byte)(isServer ? 1 : 0);

        Deliver(session, peer, ContentType.Handshake, hello);

        byte[] answer = Assert.Single(sent);
        Assert.True(RecordHeader.TryRead(answer, 0, out RecordHeader header));
        Assert.Equal(RecordOpenResult.Opened, peer.Open(header, answer, out ContentType type, out Range content, out _));
        Assert.Equal(ContentType.Alert, type);
        Assert.Equal([1, 100], answer[content]);
        Deliver(session, peer, ContentType.ApplicationData, [7]);
        Assert.Equal([7], Assert.Single(sink.Received).Content);
        Assert.False(session.IsClosed);
    }

    private static void Deliver(DtlsSession session, RecordLayer peer, ContentType type, byte[] content)
    {
        byte[] record = new byte[peer.RecordLength(content.Length)];
        Assert.Equal(record.Length, peer.Seal(type, content, record));
        Assert.True(RecordHeader.TryRead(record, 0, out RecordHeader header));
        Assert.Equal(RecordOpenResult.Opened, session.Receive(header, record, s_path));
    }
}
