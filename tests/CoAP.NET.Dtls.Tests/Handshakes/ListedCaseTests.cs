using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Handshakes;

/// <summary>
/// Cases that others list for implementations of DTLS 1.2 and that no other class has: docs/dtls-cases.md names the lists, and the test of
/// each case.
/// </summary>
public sealed class ListedCaseTests
{
    private const int FinishedLength = 12;
    private const int CoordinateLength = 32;

    // The point with its length and its curve, before the signature of ServerKeyExchange.
    private const int PointEnd = 4 + 1 + (2 * CoordinateLength);

    private static readonly DtlsPath s_path = new(CoapAddress.FromIPv4(0x7F000001, 5_684), default, 0);

    /// <summary>Kinds of handshakes, each with the role of the end that does what is listed: true for the server.</summary>
    public static TheoryData<HandshakeKind, bool> Ends { get; } = new MatrixTheoryData<HandshakeKind, bool>(
        [HandshakeKind.Psk, HandshakeKind.EcdsaMutual], [false, true]);

    [Theory]
    [MemberData(nameof(Ends))]
    public void A_handshake_completes_with_Finished_in_fragments_in_either_order(HandshakeKind kind, bool isServer)
    {
        foreach (bool isReverse in new[] { false, true })
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.SendOrder();
            peer.ChangeCipherSpec();
            byte[] finished = peer.MakeFinished();
            IEnumerable<int> offsets = Enumerable.Range(0, FinishedLength / 2).Select(static i => 2 * i);
            foreach (int offset in isReverse ? offsets.Reverse() : offsets)
            {
                peer.AssertWaits();
                peer.Protected(ContentType.Handshake, PartOf(finished, offset, offset + 2));
            }

            peer.AssertSession();
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void Finished_is_not_assembled_from_protected_and_unprotected_fragments(HandshakeKind kind, bool isServer)
    {
        foreach (bool isProtectedFirst in new[] { false, true })
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.SendOrder();
            byte[] finished = peer.MakeFinished();
            for (int cut = 1; cut < FinishedLength; cut++)
            {
                byte[] first = PartOf(finished, 0, cut);
                byte[] second = PartOf(finished, cut, FinishedLength);
                peer.Plain(ContentType.Handshake, isProtectedFirst ? second : first);
                peer.Protected(ContentType.Handshake, isProtectedFirst ? first : second);
                peer.AssertWaits();
            }

            peer.Protected(ContentType.Handshake, finished);
            peer.AssertSession();
        }
    }

    // The epoch of a record says how it is protected: ChangeCipherSpec says it once more, and anybody can send one.
    [Theory]
    [InlineData(null)]
    [InlineData("00")]
    [InlineData("02")]
    [InlineData("0101")]
    public void A_handshake_completes_without_ChangeCipherSpec_or_with_invalid_content_in_it(string? content)
    {
        foreach ((HandshakeKind kind, bool isServer) in Ends.Select(static row => row.Data))
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.SendOrder();
            if (content is not null)
            {
                peer.Plain(ContentType.ChangeCipherSpec, Convert.FromHexString(content));
            }

            peer.Protected(ContentType.Handshake, peer.MakeFinished());
            peer.AssertSession();
        }
    }

    // Half of one, two in one record, a level that does not exist, warnings: close_notify, unrecognized_name.
    [Theory]
    [InlineData("02")]
    [InlineData("02280228")]
    [InlineData("2A28")]
    [InlineData("0100")]
    [InlineData("0170")]
    public void A_malformed_alert_or_a_warning_does_not_end_a_handshake(string content)
    {
        byte[] alert = Convert.FromHexString(content);
        foreach ((HandshakeKind kind, bool isServer) in Ends.Select(static row => row.Data))
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.Begin();
            foreach (HandshakeType type in peer.Order)
            {
                peer.Plain(ContentType.Alert, alert);
                peer.Send(type);
            }

            peer.Protected(ContentType.Alert, alert);
            peer.AssertWaits();
            peer.Finish();
            peer.AssertSession();
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void Records_with_an_undefined_content_type_are_ignored_during_a_handshake(HandshakeKind kind, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
        peer.Begin();
        foreach (HandshakeType next in peer.Order)
        {
            for (int type = 0; type <= byte.MaxValue; type++)
            {
                if (!Enum.IsDefined((ContentType)type))
                {
                    peer.Plain((ContentType)type, [1, 0, 0, 0]);
                }
            }

            peer.Send(next);
        }

        peer.AssertWaits();
        peer.Finish();
        peer.AssertSession();
    }

    [Theory]
    [InlineData(HandshakeKind.Psk)]
    [InlineData(HandshakeKind.EcdhePsk)]
    [InlineData(HandshakeKind.EcdsaMutual)]
    [InlineData(HandshakeKind.RawPublicKeys)]
    [InlineData(HandshakeKind.Resumed)]
    public void A_handshake_with_additional_empty_fragments_completes_without_a_timer(HandshakeKind kind)
    {
        using HandshakeScene scene = new(kind);
        TimeSpan begin = scene.Clock.Elapsed;
        scene.Path = static (flight, _) => [.. flight.SelectMany(static one => Wire.Records(one)).SelectMany(WithEmptyOnes)];
        scene.Complete();
        Assert.Equal(begin, scene.Clock.Elapsed);
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void A_second_Finished_in_the_same_record_is_ignored(HandshakeKind kind, bool isServer)
    {
        foreach (int step in new[] { 0, 1 })
        {
            using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
            peer.SendOrder();
            byte[] finished = peer.MakeFinished();
            byte[] second = [.. finished];
            second[5] += (byte)step;
            peer.Protected(ContentType.Handshake, [.. finished, .. second]);
            peer.AssertSession();
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public void A_handshake_refused_for_a_wrong_Finished_does_not_accept_a_correct_Finished_afterwards(HandshakeKind kind, bool isServer)
    {
        using ScriptedPeer peer = ScriptedPeer.Create(kind, isServer);
        peer.SendOrder();
        byte[] finished = peer.MakeFinished();
        byte[] wrong = [.. finished];
        wrong[^1] ^= 1;
        peer.Protected(ContentType.Handshake, wrong);
        peer.AssertRefused(AlertDescription.DecryptError);
        peer.Protected(ContentType.Handshake, finished);
        peer.Protected(ContentType.ApplicationData, [1]);
        peer.AssertRefused(AlertDescription.DecryptError);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(255)]
    public void A_client_returns_a_cookie_of_any_length(int length)
    {
        byte[] cookie = [.. Enumerable.Repeat((byte)0xC0, length)];
        using ScriptedServer server = new(HandshakeKind.Psk);
        server.Send(HandshakeType.HelloVerifyRequest, writer => writer.UInt16(RecordHeader.Version).Vector(1, cookie));
        Assert.Equal(2, server.Heard.Count);
        MessageReader hello = new(server.Heard[1].Body);
        _ = hello.Read(2 + 32);
        _ = hello.ReadSessionId();
        Assert.Equal(cookie, hello.ReadVector(1));
        server.Complete();
        server.AssertSession();
    }

    [Fact]
    public void A_malformed_signature_of_a_client_or_server_is_refused()
    {
        const string order = "FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551";
        Func<byte[], byte[]>[] forms =
        [
            static _ => [],
            static valid => valid[..^1],
            static valid => [.. valid, 0],

            // The length in a longer form than DER has, and r and s without structure.
            static valid => [0x30, 0x81, .. valid[1..]],
            static _ => new byte[2 * CoordinateLength],

            // Zeros, negative numbers, numbers as large as the order.
            static _ => Convert.FromHexString("3006020100020100"),
            static _ => Convert.FromHexString("3006020101020100"),
            static _ => Convert.FromHexString("30060201FF0201FF"),
            static _ => Convert.FromHexString($"3026022100{order}020101"),
            static _ => Convert.FromHexString($"3026020101022100{order}"),
        ];
        foreach (HandshakeKind kind in new[] { HandshakeKind.EcdsaMutual, HandshakeKind.RawPublicKeys })
        {
            foreach (Func<byte[], byte[]> form in forms)
            {
                using ScriptedClient client = new(kind);
                client.Alter = (type, body) => type == HandshakeType.CertificateVerify ? Altered(body, 2, form) : body;
                client.SendOrder();
                client.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);

                using ScriptedServer server = new(kind);
                server.Alter = (type, body) => type == HandshakeType.ServerKeyExchange ? Altered(body, PointEnd + 2, form) : body;
                server.SendOrder();
                server.AssertRefused(AlertDescription.DecryptError, HandshakeFault.CertificateRefused);
            }
        }

        static byte[] Altered(byte[] body, int at, Func<byte[], byte[]> form)
        {
            byte[] signature = form(body[(at + 2)..]);
            return [.. body[..at], (byte)(signature.Length >> 8), (byte)signature.Length, .. signature];
        }
    }

    // RFC 5246 section 7.4.4: the key of the client is of one of the types.
    [Theory]
    [InlineData(HandshakeKind.EcdsaMutual, "01", false)]
    [InlineData(HandshakeKind.EcdsaMutual, "0102", false)]
    [InlineData(HandshakeKind.EcdsaMutual, "0140", true)]
    [InlineData(HandshakeKind.RawPublicKeys, "01", false)]
    [InlineData(HandshakeKind.RawPublicKeys, "40", true)]
    public void A_client_sends_its_certificate_only_if_the_server_requests_the_type_of_its_key(
        HandshakeKind kind, string types, bool isShown)
    {
        byte[] named = Convert.FromHexString(types);
        using ScriptedServer server = new(kind);
        server.Alter = (type, body) => type == HandshakeType.CertificateRequest ? [(byte)named.Length, .. named, .. body[2..]] : body;
        server.Complete();
        server.AssertSession();
        byte[] certificate = server.Heard.Single(static one => one.Type == HandshakeType.Certificate).Body;
        Assert.Equal(isShown, certificate.Length > 3);
        Assert.Equal(isShown, server.Heard.Exists(static one => one.Type == HandshakeType.CertificateVerify));
    }

    // RFC 8422 section 5.1.2: the list has the uncompressed form.
    [Theory]
    [InlineData("0101", false)]
    [InlineData("020102", false)]
    [InlineData("00", false)]
    [InlineData("0100", true)]
    [InlineData("03010200", true)]
    public void An_end_that_does_not_offer_uncompressed_points_is_refused(string content, bool isTaken)
    {
        foreach (bool isServer in new[] { false, true })
        {
            using ScriptedPeer peer = ScriptedPeer.Create(HandshakeKind.Ecdsa, isServer);
            peer.Extensions[11] = Convert.FromHexString(content);
            if (isTaken)
            {
                peer.Complete();
                peer.AssertSession();
            }
            else
            {
                peer.Hello();
                peer.AssertRefused(AlertDescription.IllegalParameter);
            }
        }
    }

    [Fact]
    public void A_fragment_of_a_message_is_kept_and_does_not_stop_the_retransmission_timer()
    {
        using ScriptedServer server = new(HandshakeKind.Psk);
        byte[] body = [];
        server.Alter = (type, content) => body = type == HandshakeType.ServerHello ? content : body;
        server.IsLost = true;
        server.Hello();
        server.IsLost = false;
        MessageHeader header = new(HandshakeType.ServerHello, body.Length, 0, 0, 0);
        server.Alter = null;
        server.Plain(ContentType.Handshake, Wire.Fragment(header, 0, body.AsSpan(0, 20)));
        server.Clock.Advance(server.Client.Settings.RetransmitTimeout);
        server.Client.OnTimeout();
        Assert.Single(server.Client.TakeOutput());
        server.Plain(ContentType.Handshake, Wire.Fragment(header, 20, body.AsSpan(20)));
        foreach (HandshakeType type in server.Order.Skip(1))
        {
            server.Send(type);
        }

        server.Finish();
        server.AssertSession();
    }

    [Theory]
    [InlineData(0xFEFC)]
    [InlineData(0xFE00)]
    public void A_client_of_a_newer_version_gets_DTLS_1_2(int version)
    {
        using ScriptedClient client = new(HandshakeKind.Psk) { Version = (ushort)version };
        client.Complete();
        client.AssertSession();
    }

    // TLS_FALLBACK_SCSV, the own suite more than once, numbers of no suite.
    [Theory]
    [InlineData("5600")]
    [InlineData("C0A8C0A8C0A8")]
    [InlineData("0000FFFF1A1A")]
    public void A_server_ignores_unknown_and_repeated_cipher_suites(string before)
    {
        using ScriptedClient client = new(HandshakeKind.Psk);
        client.Suites.InsertRange(
            0, Convert.FromHexString(before).Chunk(2).Select(static one => BinaryPrimitives.ReadUInt16BigEndian(one)));
        client.Complete();
        client.AssertSession();
    }

    // No list, an empty one, an empty name, zeros, no host name, a name twice, a cut one: no name of a host.
    [Theory]
    [InlineData("")]
    [InlineData("0000")]
    [InlineData("0003000000")]
    [InlineData("00070000040061622E")]
    [InlineData("000401000161")]
    [InlineData("0004000001")]
    [InlineData("00030000FF")]
    public void A_malformed_server_name_extension_is_treated_as_no_server_name(string content)
    {
        using ScriptedClient client = new(HandshakeKind.Psk);
        client.Extensions[0] = Convert.FromHexString(content);
        byte[] hello = [];
        client.Alter = (type, body) => hello = type == HandshakeType.ClientHello ? body : hello;
        client.Hello();
        MessageHeader header = new(HandshakeType.ClientHello, hello.Length, 1, 0, 0);
        Assert.Null(ClientHello.ServerNameOf(Wire.Record(ContentType.Handshake, Wire.Fragment(header, 0, hello))));
        client.Alter = null;
        client.ExchangeKeys();
        client.Finish();
        client.AssertSession();
    }

    [Theory]
    [InlineData("")]
    [InlineData("FF")]
    public void An_empty_or_invalid_PSK_hint_is_treated_as_no_hint(string hint)
    {
        byte[] bytes = Convert.FromHexString(hint);
        using ScriptedServer server = new(HandshakeKind.Psk);
        server.Alter = (type, body) => type == HandshakeType.ServerKeyExchange ? [0, (byte)bytes.Length, .. bytes] : body;
        server.Complete();
        server.AssertSession();
        Assert.Null(server.Client.PskHint);
    }

    [Fact]
    public void Clients_and_servers_send_another_random_in_each_handshake()
    {
        HashSet<string> randoms = [Convert.ToHexString(new byte[32])];
        for (int i = 0; i < 10; i++)
        {
            using ScriptedClient client = new(HandshakeKind.Psk);
            client.Hello();
            Assert.True(randoms.Add(Convert.ToHexString(client.PeerRandom)));
            using ScriptedServer server = new(HandshakeKind.Psk);
            Assert.True(randoms.Add(Convert.ToHexString(server.PeerRandom)));
        }
    }

    // RFC 8422 section 5.10: zeros at the beginning of the secret stay. One of 256 has some.
    [Fact]
    public void A_shared_secret_keeps_its_leading_zeros()
    {
        using EphemeralKey own = EphemeralKey.TryCreate([0, 23])!;
        byte[] secret;
        do
        {
            using EphemeralKey other = EphemeralKey.TryCreate([0, 23])!;
            secret = own.Agree(other.Point);
            Assert.Equal(CoordinateLength, secret.Length);
        }
        while (secret[0] != 0);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_record_of_more_than_16_KiB_of_content_is_dropped(bool hasCid)
    {
        (RecordLayer peer, RecordLayer own) = RecordLayers(hasCid);
        foreach (int length in new[] { RecordLayer.MaxPlaintext, RecordLayer.MaxPlaintext + 1 })
        {
            byte[] record = new byte[peer.RecordLength(length)];
            Assert.Equal(record.Length, peer.Seal(ContentType.ApplicationData, new byte[length], record));
            Assert.True(RecordHeader.TryRead(record, own.OwnCid.Length, out RecordHeader header));
            Assert.Equal(length > RecordLayer.MaxPlaintext ? RecordOpenResult.Foreign : RecordOpenResult.Opened,
                own.Open(header, record, out _, out _, out _));
        }

        Assert.Equal(0, own.Forgeries);
    }

    // Of all types and forms, alerts of two bytes aside.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_session_ignores_records_that_are_neither_data_nor_an_alert_of_two_bytes(bool hasCid)
    {
        (DtlsSession session, RecordLayer peer, BenchSink sink, _) = Session(hasCid, lastFlight: []);
        for (int type = 0; type <= byte.MaxValue; type++)
        {
            foreach (byte[] content in new byte[][] { [], [7], [2, 40, 2, 40], new byte[40] })
            {
                if ((ContentType)type != ContentType.ApplicationData || content.Length == 0)
                {
                    Deliver(session, peer, (ContentType)type, content);
                }
            }
        }

        Assert.Empty(sink.Received);
        Deliver(session, peer, ContentType.ApplicationData, [7]);
        Assert.Equal([7], Assert.Single(sink.Received).Content);
        Assert.False(session.IsClosed);
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(2, 40)]
    public void A_session_neither_receives_nor_sends_data_after_an_alert_has_ended_it(byte level, byte number)
    {
        (DtlsSession session, RecordLayer peer, BenchSink sink, _) = Session(hasCid: true, lastFlight: []);
        Deliver(session, peer, ContentType.Alert, [level, number]);
        Assert.True(session.IsClosed);
        Deliver(session, peer, ContentType.ApplicationData, [7]);
        Assert.Empty(sink.Received);
        Assert.False(session.Send([1]));
    }

    // Whole, in fragments, cut, and as the end gets it that does not speak last.
    [Fact]
    public void A_session_answers_a_repeated_Finished_once_with_its_last_flight()
    {
        byte[] finished = Wire.Fragment(new(HandshakeType.Finished, FinishedLength, 3, 0, 0), 0, new byte[FinishedLength]);
        (DtlsSession session, RecordLayer peer, _, List<byte[]> sent) = Session(hasCid: false, lastFlight: finished);
        Deliver(session, peer, ContentType.Handshake, finished);
        Assert.Single(sent);
        for (int offset = 0; offset < FinishedLength; offset += 2)
        {
            Deliver(session, peer, ContentType.Handshake, PartOf(finished, offset, offset + 2));
        }

        Assert.Equal(2, sent.Count);
        Deliver(session, peer, ContentType.Handshake, finished[..^1]);
        Deliver(session, peer, ContentType.Handshake, finished[..1]);
        Assert.Equal(2, sent.Count);

        (DtlsSession first, RecordLayer other, _, List<byte[]> none) = Session(hasCid: false, lastFlight: []);
        Deliver(first, other, ContentType.Handshake, finished);
        Assert.Empty(none);
    }

    private static byte[] PartOf(byte[] message, int from, int to)
    {
        Assert.True(MessageHeader.TryRead(message, out MessageHeader header));
        return Wire.Fragment(header, from, message.AsSpan((MessageHeader.Size + from)..(MessageHeader.Size + to)));
    }

    private static IEnumerable<byte[]> WithEmptyOnes(byte[] record)
    {
        if (Wire.TypeOf(record) is null or HandshakeType.ClientHello)
        {
            return [record];
        }

        Assert.True(MessageHeader.TryRead(record.AsSpan(RecordHeader.Size), out MessageHeader header));
        byte[][] empty = [.. new[] { 0, header.Length / 2, header.Length }.Select(
            at => Wire.Record(ContentType.Handshake, Wire.Fragment(header, at, [])))];
        return [.. empty, .. Wire.Fragments(record, 20, 20).SelectMany(one => new[] { one, empty[1] }), .. empty];
    }

    private static (RecordLayer Peer, RecordLayer Own) RecordLayers(bool hasCid)
    {
        CipherSuite suite = CipherSuite.All[0];
        byte[] keys = KeyBlock.Derive(suite, new byte[48], new byte[32], new byte[32]);
        byte[] cid = hasCid ? [1, 2, 3, 4, 5, 6, 7, 8] : [];
        return (new RecordLayer(suite, keys, isServer: false, [], cid), new RecordLayer(suite, keys, isServer: true, cid, []));
    }

    private static (DtlsSession Session, RecordLayer Peer, BenchSink Sink, List<byte[]> Sent) Session(bool hasCid, byte[] lastFlight)
    {
        (RecordLayer peer, RecordLayer own) = RecordLayers(hasCid);
        List<byte[]> sent = [];
        BenchSink sink = new((_, datagram) => sent.Add(datagram));
        return (new DtlsSession(new HandshakeResult(own, lastFlight, 0, "user", null), s_path, sink, new VirtualClock()), peer, sink, sent);
    }

    private static void Deliver(DtlsSession session, RecordLayer peer, ContentType type, byte[] content)
    {
        byte[] record = new byte[peer.RecordLength(content.Length)];
        Assert.Equal(record.Length, peer.Seal(type, content, record));
        if (RecordHeader.TryRead(record, session.OwnCid.Length, out RecordHeader header))
        {
            _ = session.Receive(header, record, s_path);
        }
    }
}
