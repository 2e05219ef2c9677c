using Wire = CoAP.NET.Dtls.Tests.Handshakes.Wire;
using MessageHeader = CoAP.NET.Dtls.Handshakes.MessageHeader;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>ClientHellos in fragments (RFC 6347 section 4.2.3).</summary>
public sealed class FragmentedHelloTests : IDisposable
{
    // Up to the cookie: headers, version, random, an empty session id, and a cookie of 16 bytes.
    private const int WithCookie = 34 + 1 + 17;
    private const int WithoutCookie = 34 + 1 + 1;

    private readonly ServerBench _bench = new(new DtlsServerLimits { MaxHandshakesPerAddress = 3 });
    private readonly ClientHandshake _client;
    private readonly List<byte[]> _sent = [];
    private DtlsPath _path = ServerBench.Path(1);

    public FragmentedHelloTests()
    {
        _client = new ClientHandshake(_bench.ClientContext, null, "user", ServerBench.Key);
        _bench.LosesOfServer = bytes =>
        {
            _sent.Add(bytes);
            return true;
        };
    }

    public void Dispose()
    {
        _client.Dispose();
        _bench.Dispose();
    }

    [Theory]
    [InlineData(WithCookie)]
    [InlineData(WithCookie + 1)]
    [InlineData(70)]
    [Rfc("6347-4.2.3-1", "6347-4.2.1-1")]
    public void A_handshake_completes_with_a_ClientHello_in_fragments_in_order(int first)
    {
        byte[] hello = SecondHello(Cut(FirstHello(), WithoutCookie));
        Send(Cut(hello, first));
        Complete();
    }

    [Fact]
    public void A_cookie_is_valid_whether_the_ClientHello_comes_whole_or_in_fragments()
    {
        byte[] hello = SecondHello([FirstHello()]);
        Send(Cut(hello, 80));
        Complete();

        using ClientHandshake other = new(_bench.ClientContext, null, "user", ServerBench.Key);
        byte[] first = FirstHello(other);
        _path = ServerBench.Path(2);
        Send(Cut(first, WithoutCookie));
        Send([CookieTests.With(first, Assert.Single(TakeSent()).AsSpan(^16..))]);
        Assert.Single(TakeSent());
    }

    [Fact]
    [Rfc("6347-4.2.1-1")]
    public void Only_the_first_fragment_without_a_cookie_is_answered_and_the_server_keeps_no_state()
    {
        byte[] hello = FirstHello();
        byte[][] fragments = [.. Cut(hello, WithoutCookie)];

        Send(fragments[1..]);
        Assert.Empty(_sent);

        Send(fragments[..1]);
        byte[] answer = Assert.Single(_sent);
        Assert.True(answer.Length < fragments[0].Length, $"{answer.Length} of {fragments[0].Length}");
        Assert.Equal((0, 0), (_bench.Server.HandshakeCount, _bench.Server.Counters.HandshakesStarted));
    }

    [Fact]
    public void A_handshake_with_fragments_in_reverse_order_completes_when_they_are_sent_again()
    {
        byte[] hello = SecondHello(Cut(FirstHello(), WithoutCookie));
        byte[][] fragments = [.. Cut(hello, WithCookie, 80).Reverse()];
        Send(fragments);
        Assert.Empty(_sent);
        Assert.Equal(1, _bench.Server.HandshakeCount);

        Send(fragments);
        Complete();
    }

    [Fact]
    public void A_handshake_completes_with_a_ClientHello_in_duplicated_fragments_of_one_byte()
    {
        byte[] first = FirstHello();
        Send(Cut(first, [.. Enumerable.Range(1, first.Length)]));

        // A fragment that cuts the cookie cannot be answered.
        Assert.Empty(_sent);
        byte[] hello = SecondHello([first]);
        int[] ends = [.. Enumerable.Range(WithCookie, hello.Length)];
        Send(Cut(hello, ends).SelectMany(static fragment => new[] { fragment, fragment }));
        Complete();
        Assert.Equal(1, _bench.Server.Counters.HandshakesStarted);
    }

    [Fact]
    public void A_handshake_completes_with_all_fragments_of_a_ClientHello_in_one_datagram()
    {
        byte[] hello = SecondHello([FirstHello()]);
        Send([[.. Cut(hello, WithCookie, 70, 90).SelectMany(static fragment => fragment)]]);
        Complete();
    }

    [Fact]
    public void A_handshake_completes_despite_forged_fragments_when_the_real_ones_are_sent_again()
    {
        byte[] hello = SecondHello([FirstHello()]);
        byte[][] fragments = [.. Cut(hello, 80)];
        Send(fragments[..1]);
        Assert.True(MessageHeader.TryRead(hello.AsSpan(RecordHeader.Size), out MessageHeader header));

        // Anybody can write them. They leave a hole, name another length, or lie outside of the message.
        Send(
        [
            Fragment(header, 60, [.. Enumerable.Repeat((byte)0xee, 30)]),
            Fragment(header with { Length = 4_000 }, 100, [1, 2, 3]),
            Fragment(header with { Length = 8_000 }, 4_097, [1, 2, 3]),
            Fragment(header with { Number = 2 }, 80, [1, 2, 3]),
        ]);
        Assert.Empty(_sent);

        Send(fragments);
        Complete();
    }

    [Fact]
    public void An_incomplete_ClientHello_gets_no_answer_and_is_dropped_after_a_minute()
    {
        byte[] hello = SecondHello([FirstHello()]);
        byte[][] fragments = [.. Cut(hello, WithCookie, 70, 90)];
        Send([fragments[0], fragments[1], fragments[3]]);
        Assert.Empty(_sent);
        Assert.Equal(1, _bench.Server.HandshakeCount);

        _bench.Clock.Advance(FromMinutes(1));
        _bench.Server.Tick();
        Assert.Equal(0, _bench.Server.HandshakeCount);
        Assert.Empty(_sent);
    }

    [Fact]
    public void A_fragment_with_a_wrong_cookie_gets_a_cookie_request_and_the_server_keeps_no_state()
    {
        byte[] hello = SecondHello([FirstHello()]);
        hello[RecordHeader.Size + MessageHeader.Size + WithCookie - 1] ^= 1;
        Send(Cut(hello, WithCookie));
        Assert.Equal(CookieIssuer.RequestLength, Assert.Single(_sent).Length);
        Assert.Equal(0, _bench.Server.HandshakeCount);

        // The cookie of another address.
        _path = ServerBench.Path(2);
        hello[RecordHeader.Size + MessageHeader.Size + WithCookie - 1] ^= 1;
        Send(Cut(hello, WithCookie));
        Assert.Equal(0, _bench.Server.HandshakeCount);
    }

    [Fact]
    public void An_address_has_at_most_MaxHandshakesPerAddress_incomplete_ClientHellos()
    {
        for (int port = 1; port <= 20; port++)
        {
            _path = ServerBench.Path(CoapAddress.FromIPv4(0x0A000001, 0), port);
            using ClientHandshake client = new(_bench.ClientContext, null, "user", ServerBench.Key);
            byte[] hello = SecondHello([FirstHello(client)], client);
            byte[] first = Cut(hello, WithCookie).First();
            Assert.True(MessageHeader.TryRead(first.AsSpan(RecordHeader.Size), out MessageHeader header));

            // Longer than any hello: ignored. Of the greatest length, with a byte at its end.
            Send([Fragment(header with { Length = 5_000 }, 0, first[(RecordHeader.Size + MessageHeader.Size)..])]);
            Send([Fragment(header with { Length = ClientHello.MaxFragmented }, 0, first[(RecordHeader.Size + MessageHeader.Size)..])]);
            Send([Fragment(header with { Length = ClientHello.MaxFragmented }, ClientHello.MaxFragmented - 1, [0])]);
            Assert.InRange(_bench.Server.HandshakeCount, 1, 3);
        }

        Assert.Equal(17, _bench.Server.Counters.HandshakesEvicted);
        Assert.Empty(_sent);
    }

    [Theory]
    [InlineData(0, 1, false)]
    [InlineData(2, 1, false)]
    [InlineData(7, 1, false)]
    [InlineData(65_535, 1, false)]
    [InlineData(1, (1L << 48) - 1, false)]
    [InlineData(1, (1L << 47) + 1, false)]
    [InlineData(1, 1L << 47, true)]
    [InlineData(1, 1, true)]
    public void A_ClientHello_with_a_cookie_is_accepted_only_with_message_number_1_and_a_record_number_up_to_2_to_the_47(int number,
        long sequence, bool isTaken)
    {
        byte[] hello = SecondHello([FirstHello()]);
        BinaryPrimitives.WriteUInt16BigEndian(hello.AsSpan(17), (ushort)number);
        BinaryPrimitives.WriteInt64BigEndian(hello.AsSpan(3), sequence);

        Assert.Equal(isTaken, _bench.Server.Receive(_path, hello));

        Assert.Equal((isTaken ? 1 : 0, isTaken ? 1 : 0), (_bench.Server.HandshakeCount, _sent.Count));
        Assert.All(_sent.SelectMany(Wire.Records),
            static record => Assert.Equal(0, BinaryPrimitives.ReadUInt16BigEndian(record.AsSpan(3))));
    }

    [Fact]
    public void A_server_answers_a_ClientHello_that_restarts_a_handshake_with_a_single_flight()
    {
        // Two hellos in turn, each with its cookie: the most work that a datagram of a stranger can cause.
        byte[][] hellos = new byte[2][];
        for (int i = 0; i < hellos.Length; i++)
        {
            using ClientHandshake client = new(_bench.ClientContext, null, "user", ServerBench.Key);
            hellos[i] = SecondHello([FirstHello(client)], client);
        }

        const int Datagrams = 100;
        for (int i = 1; i <= Datagrams; i++)
        {
            _bench.Server.Receive(_path, [.. hellos[i % 2]]);
            Assert.Equal((1, i, i), (_bench.Server.HandshakeCount, _bench.Server.Counters.HandshakesStarted, _sent.Count));
        }

        // The same one again costs less: no flight before the retransmission timeout.
        for (int i = 0; i < Datagrams; i++)
        {
            _bench.Server.Receive(_path, [.. hellos[Datagrams % 2]]);
        }

        Assert.Equal((Datagrams, Datagrams), (_bench.Server.Counters.HandshakesStarted, _sent.Count));
    }

    private byte[] FirstHello(ClientHandshake? client = null)
    {
        (client ?? _client).Start(null);
        return Assert.Single((client ?? _client).TakeOutput());
    }

    // Sends the first hello, and takes the second one of the client.
    private byte[] SecondHello(IEnumerable<byte[]> first, ClientHandshake? client = null)
    {
        Send(first);
        (client ?? _client).Receive(Assert.Single(TakeSent()));
        return Assert.Single((client ?? _client).TakeOutput());
    }

    private byte[][] TakeSent()
    {
        byte[][] sent = [.. _sent];
        _sent.Clear();
        return sent;
    }

    private void Send(IEnumerable<byte[]> datagrams)
    {
        foreach (byte[] datagram in datagrams)
        {
            _bench.Server.Receive(_path, [.. datagram]);
        }
    }

    // The server has answered a hello once; the rest of the handshake.
    private void Complete()
    {
        _client.Receive(Assert.Single(TakeSent()));
        _client.Answer();
        Send(_client.TakeOutput());
        foreach (byte[] datagram in TakeSent())
        {
            _client.Receive(datagram);
        }

        Assert.Equal((HandshakeStatus.Done, null), (_client.Status, _client.Failure));
        Assert.Single(_bench.Opened);
    }

    // Cuts a datagram with a whole hello at offsets of the message.
    private static IEnumerable<byte[]> Cut(byte[] hello, params int[] ends)
    {
        Assert.True(MessageHeader.TryRead(hello.AsSpan(RecordHeader.Size), out MessageHeader header) && header.IsWhole);
        byte[] body = hello[(RecordHeader.Size + MessageHeader.Size)..];
        ulong sequence = BinaryPrimitives.ReadUInt64BigEndian(hello.AsSpan(3));
        int offset = 0;
        foreach (int end in ends.Where(end => end < body.Length).Append(body.Length))
        {
            yield return Wire.Record(ContentType.Handshake, Wire.Fragment(header, offset, body.AsSpan(offset..end)), sequence++);
            offset = end;
        }
    }

    private static byte[] Fragment(in MessageHeader header, int offset, byte[] bytes) =>
        Wire.Record(ContentType.Handshake, Wire.Fragment(header, offset, bytes));
}
