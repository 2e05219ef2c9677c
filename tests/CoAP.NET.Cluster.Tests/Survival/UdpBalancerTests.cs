using CoAP.NET.Survival.Balancing;

namespace CoAP.NET.Cluster.Tests.Survival;

/// <summary>The balancer of <c>simulation/CoAP.NET.Survival</c> detects reused record numbers.</summary>
public sealed class UdpBalancerTests
{
    private const byte Handshake = 22;
    private const byte ServerHello = 2;
    private const byte Data = 23;

    private readonly ClientFlow _flow = new(client: 1, index: 0);

    [Theory]
    [InlineData(new ulong[] { 1, 2, 3, 10, 11, 5, 4, 9 }, 0)]
    [InlineData(new ulong[] { 1, 2, 3, 2 }, 1)]
    [InlineData(new ulong[] { 1, 2, 1 << 20, 3, (1 << 20) + 1, 1 << 20, 1 }, 2)]
    public void A_record_number_that_is_used_twice_is_detected(ulong[] numbers, int twice)
    {
        foreach (ulong number in numbers)
        {
            _flow.Read(Record(Data, 1, number));
        }

        Assert.Equal(twice, _flow.NumbersTwice);
    }

    [Fact]
    public void Every_record_of_a_datagram_is_read()
    {
        _flow.Read([.. Record(Data, 1, 7), .. Record(Data, 1, 7), .. Record(Data, 1, 8)]);

        Assert.Equal(1, _flow.NumbersTwice);
    }

    [Fact]
    public void A_handshake_is_detected_and_restarts_the_record_numbers()
    {
        _flow.Read(Record(Data, 1, 7));
        _flow.Read(Record(Handshake, 0, 1, ServerHello));
        Assert.True(_flow.HasShakenHands);

        _flow.Begin();
        _flow.Read(Record(Data, 1, 7));

        Assert.False(_flow.HasShakenHands);
        Assert.Equal(0, _flow.NumbersTwice);
    }

    [Fact]
    public async Task Late_records_of_an_ended_client_are_not_attributed_to_the_next_client_on_its_port()
    {
        using UdpBalancer balancer = new(new VirtualRandom(1));
        using UdpClient server = new(new IPEndPoint(IPAddress.Loopback, 0));
        using UdpClient client = new(new IPEndPoint(IPAddress.Loopback, 0));
        balancer.Use([new Backend("A", (IPEndPoint)server.Client.LocalEndPoint!)]);
        IPEndPoint old = await EnterAsync();
        await AnswerAsync(old, 7);

        balancer.EndClients();
        IPEndPoint next = await EnterAsync();
        await AnswerAsync(old, 8);
        await AnswerAsync(next, 7);
        await AnswerAsync(next, 8);
        Assert.NotEqual(old.Address, next.Address);
        Assert.Equal(0, balancer.Read().NumbersTwice);

        await AnswerAsync(next, 8);
        Assert.Equal(1, balancer.Read().NumbersTwice);

        async Task<IPEndPoint> EnterAsync()
        {
            await client.SendAsync(Record(Data, 1, 1), balancer.Address, TestContext.Current.CancellationToken);
            return (await server.ReceiveAsync(TestContext.Current.CancellationToken)).RemoteEndPoint;
        }

        async Task AnswerAsync(IPEndPoint to, ulong number)
        {
            await server.SendAsync(Record(Data, 1, number), to, TestContext.Current.CancellationToken);
            await client.ReceiveAsync(TestContext.Current.CancellationToken);
        }
    }

    [Fact]
    public void A_flow_knows_the_servers_to_which_it_sent_a_datagram()
    {
        Backend one = new("A", new IPEndPoint(IPAddress.Loopback, 1));
        _flow.Enter(one);

        Assert.True(_flow.Knows(one));
        Assert.False(_flow.Knows(new Backend("B", new IPEndPoint(IPAddress.Loopback, 2))));
    }

    [Fact]
    public async Task An_OSCORE_number_that_is_used_twice_under_a_key_is_detected()
    {
        await using ProtectedMessages messages = new();

        messages.Read(Protected(number: 1, kid: 7));
        messages.Read(Protected(number: 1, kid: 8));
        messages.Read(Protected(number: 2, kid: 7));
        Assert.Equal((3, 0), (messages.Count, messages.NumbersTwice));

        messages.Read(Protected(number: 1, kid: 7));
        Assert.Equal((4, 1), (messages.Count, messages.NumbersTwice));
    }

    // A NON POST with a token of two bytes, Uri-Host (3) and the option of OSCORE (9): flags, Partial IV, kid.
    private static byte[] Protected(byte number, byte kid) =>
        [0x52, 0x02, 0, number, 1, 2, 0x34, .. "host"u8, 0x63, 0b1001, number, kid, 0xff, 1, 2, 3];

    private static byte[] Record(byte type, int epoch, ulong number, byte content = 0)
    {
        byte[] record = new byte[15];
        record[0] = type;
        BinaryPrimitives.WriteUInt64BigEndian(record.AsSpan(3), ((ulong)epoch << 48) | number);
        record[12] = 2;
        record[13] = content;
        return record;
    }
}
