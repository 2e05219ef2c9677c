using CoAP.NET.Testing;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Tests.Testing;

public sealed class NetworkFaultTests : IDisposable
{
    private const int Many = 2000;

    private static readonly CoapAddress s_a = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_b = InMemoryNetwork.Address("192.0.2.2:5683");
    private static readonly CoapAddress s_hostB = s_b with { Port = 0 };

    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly ScriptedPeer _a;
    private readonly ScriptedPeer _b;

    public NetworkFaultTests()
    {
        _network = new InMemoryNetwork(_clock, new() { Seed = 42 });
        _a = _network.CreatePeer(s_a, s_b);
        _b = _network.CreatePeer(s_b, s_a);
    }

    public void Dispose()
    {
        _a.Dispose();
        _b.Dispose();
    }

    [Fact]
    public void Loss_drops_the_given_share_of_datagrams()
    {
        _network.Conditions = new() { Loss = 0.3 };
        SendMany();
        Assert.InRange(_b.Received.Count, Many * 0.65, Many * 0.75);
        Assert.Equal(Many - _b.Received.Count, Count(NetworkEventKind.Lost));
    }

    [Fact]
    public void Loss_of_1_drops_every_datagram_and_loss_of_0_drops_none()
    {
        _network.Conditions = new() { Loss = 1 };
        SendMany();
        Assert.Empty(_b.Received);
        _network.Conditions = new() { Loss = 0 };
        SendMany();
        Assert.Equal(Many, _b.Received.Count);
    }

    [Fact]
    public void Duplication_delivers_its_share_twice_with_the_same_bytes()
    {
        _network.Conditions = new() { Duplication = 0.2 };
        SendMany();
        Assert.InRange(_b.Received.Count, Many * 1.15, Many * 1.25);
        Assert.Equal(Many, _b.Received.Select(received => received.Hex).Distinct().Count());
    }

    [Fact]
    public void A_duplicate_gets_its_own_random_delay()
    {
        _network.Conditions = new() { Duplication = 1, MaxDelay = FromMilliseconds(100) };
        List<double> later = [];
        for (int i = 0; i < 200; i++)
        {
            TimeSpan sent = _network.Now;
            _a.Send(Message(i));
            _clock.Advance(FromSeconds(1));
            later.Add(_b.Received.TakeLast(2).Max(received => (received.Time - sent).TotalMilliseconds));
        }

        // The later one of two even spreads; with one delay for both, or none for the copy, it is 50.
        Assert.Equal(400, _b.Received.Count);
        Assert.InRange(later.Average(), 60, 73);
    }

    [Fact]
    public void Corruption_changes_one_byte_of_its_share()
    {
        _network.Conditions = new() { Corruption = 0.5 };
        int corrupted = 0;
        byte[] sent = Wire.Hex("45010203040506070809");
        for (int i = 0; i < Many; i++)
        {
            _a.Send(sent);
            byte[] received = _b.Receive()!.Data.ToArray();
            int differences = Enumerable.Range(0, sent.Length).Count(at => sent[at] != received[at]);
            Assert.InRange(differences, 0, 1);
            corrupted += differences;
        }

        Assert.InRange(corrupted, Many * 0.45, Many * 0.55);
        Assert.Equal(corrupted, Count(NetworkEventKind.Corrupted));
        Assert.Equal("45010203040506070809", Wire.Hex(sent));
    }

    [Fact]
    public void Delays_are_spread_between_their_bounds_and_keep_the_order()
    {
        _network.Conditions = new() { MinDelay = FromMilliseconds(10), MaxDelay = FromMilliseconds(50) };
        List<TimeSpan> delays = [];
        for (int i = 0; i < Many; i++)
        {
            TimeSpan sent = _network.Now;
            _a.Send(Message(i));
            delays.Add(_b.ExpectWithin("..", FromSeconds(1)).Time - sent);
        }

        Assert.All(delays, delay => Assert.InRange(delay.TotalMilliseconds, 10, 50));
        Assert.InRange(delays.Average(delay => delay.TotalMilliseconds), 29, 31);

        SendMany();
        Assert.Equal(Enumerable.Range(0, Many).Select(Text), _b.Received.Skip(Many).Select(received => received.Hex));
    }

    [Fact]
    public void Reordering_affects_the_given_share_of_datagrams()
    {
        _network.Conditions = new() { Reordering = 0.1, ReorderingWindow = FromMilliseconds(5) };
        for (int i = 0; i < Many; i++)
        {
            _a.Send(Message(i));
            _clock.Advance(FromMilliseconds(1));
        }

        _clock.Advance(FromSeconds(1));

        int[] order = [.. _b.Received.Select(received => (int)received.MessageId)];
        Assert.Equal(Enumerable.Range(0, Many), order.Order());
        Assert.InRange(Count(NetworkEventKind.Reordered), Many * 0.07, Many * 0.13);
        Assert.InRange(order.Zip(order.Skip(1)).Count(pair => pair.First > pair.Second), Many * 0.04, Many * 0.13);
    }

    [Fact]
    public void A_datagram_longer_than_the_MTU_is_lost_silently()
    {
        _network.Conditions = new() { Mtu = 5 };
        _a.Send("4001000100");
        _a.Send("400100010000");
        _b.Expect("4001000100");
        _b.ExpectNothing();
        Assert.Equal(1, Count(NetworkEventKind.TooLong));
    }

    [Fact]
    public void Link_conditions_apply_in_one_direction_and_the_newest_setting_wins()
    {
        _network.SetConditions(default, s_hostB, new() { Loss = 1 });
        _a.Send("40010001");
        _b.ExpectNothing();
        _b.Send("40010002");
        _a.Expect("40010002");

        _network.SetConditions(s_a, s_b, NetworkConditions.Perfect);
        _a.Send("40010003");
        _b.Expect("40010003");

        _network.SetConditions(default, s_hostB, new() { Loss = 1 });
        _a.Send("40010004");
        _b.ExpectNothing();
        _network.ClearConditions();
        _a.Send("40010005");
        _b.Expect("40010005");
    }

    [Fact]
    public void A_partition_drops_datagrams_in_both_directions_and_in_flight()
    {
        _network.Conditions = NetworkConditions.Delayed(FromSeconds(1));
        _a.Send("40010001");
        _network.Partition(s_a, s_hostB);
        _a.Send("40010002");
        _b.Send("40010003");
        _clock.Advance(FromSeconds(5));
        Assert.Empty(_a.Received);
        Assert.Empty(_b.Received);
        Assert.Equal(3, Count(NetworkEventKind.Partitioned));

        _network.Heal();
        _a.Send("40010004");
        _b.ExpectWithin("40010004", FromSeconds(1));
    }

    [Fact]
    public void Datagrams_sent_after_conditions_changed_do_not_wait_for_earlier_ones()
    {
        _network.Conditions = NetworkConditions.Delayed(FromSeconds(10));
        _a.Send("40010001");
        _network.Conditions = NetworkConditions.Perfect;
        _a.Send("40010002");
        _b.Expect("40010002");
        _b.ExpectWithin("40010001", FromSeconds(10));
    }

    [Fact]
    public void Blocking_one_direction_of_a_link_leaves_the_other_direction_open()
    {
        _network.Block(s_a, s_b);
        _a.Send("40010001");
        _b.ExpectNothing();
        _b.Send("40010002");
        _a.Expect("40010002");
    }

    [Fact]
    public void The_nth_datagram_of_a_sender_is_dropped()
    {
        _network.DropNth(2, from: s_a);
        _b.Send("40010009");
        _a.Send("40010001");
        _a.Send("40010002");
        _a.Send("40010003");
        Assert.Equal(["40010001", "40010003"], _b.Received.Select(received => received.Hex));
        _a.Expect("40010009");
        Assert.Equal(1, Count(NetworkEventKind.Dropped));
    }

    [Fact]
    public void The_next_datagrams_to_a_receiver_are_dropped()
    {
        _network.DropNext(2, to: s_a);
        _a.Send("40010001");
        _b.Send("60000001");
        _b.Send("60000002");
        _b.Send("60000003");
        _b.Expect("40010001");
        _a.Expect("60000003");
        _a.ExpectNothing();
        Assert.Throws<ArgumentOutOfRangeException>(() => _network.DropNext(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => _network.DropNth(0));
    }

    [Fact]
    public void A_filter_decides_about_each_datagram()
    {
        _network.Filter = packet => packet.MessageId switch
        {
            1 => NetworkVerdict.Drop,
            2 => NetworkVerdict.Delay(FromSeconds(1)),
            3 => NetworkVerdict.Duplicate(2),
            4 => NetworkVerdict.Replace("hi"u8),
            _ => NetworkVerdict.Pass,
        };
        for (int i = 1; i <= 5; i++)
        {
            _a.Send(Message(i));
        }

        Assert.Equal([Text(3), Text(3), Text(3), "6869", Text(5)], _b.Received.Select(received => received.Hex));
        _clock.Advance(FromSeconds(1));
        Assert.Equal(Text(2), _b.Received[^1].Hex);
        Assert.Equal(FromSeconds(1), _b.Received[^1].Time);
        Assert.Equal(6, _b.Received.Count);
    }

    [Fact]
    public void A_rebound_host_is_found_at_its_new_address_only()
    {
        CoapAddress next = InMemoryNetwork.Address("198.51.100.7:40001");
        _network.Rebind(s_a, next);

        _a.Send("40010001");
        Assert.Equal(next, _b.Expect("40010001").From);
        _b.SendTo(next, "60000001");
        _a.Expect("60000001");
        _b.SendTo(s_a, "60000002");
        _a.ExpectNothing();
        Assert.Equal(next, _a.Address);

        Assert.Throws<ArgumentException>(() => _network.Rebind(s_a, InMemoryNetwork.Address("198.51.100.7:40002")));
        Assert.Throws<CoapException>(() => _network.Rebind(next, s_b));
        _a.Dispose();
        using ScriptedPeer other = _network.CreatePeer(next);
    }

    [Fact]
    public async Task A_rebound_transport_keeps_its_local_address()
    {
        await using InMemoryTransport transport = _network.CreateHost(InMemoryNetwork.Address("10.0.0.5:5683"));
        RecordingContext context = new(_clock);
        await transport.StartAsync(context, CancellationToken.None);
        CoapAddress outside = InMemoryNetwork.Address("198.51.100.7:40001");

        _network.Rebind(transport.LocalAddresses[0], outside);
        _a.SendTo(outside, "40010001");

        Assert.Equal(InMemoryNetwork.Address("10.0.0.5:5683"), Assert.Single(context.Received).Local);
        Assert.Equal(outside, transport.PublicAddress);
        Assert.Equal([InMemoryNetwork.Address("10.0.0.5:5683")], transport.LocalAddresses);
    }

    [Fact]
    public void A_host_that_is_down_neither_sends_nor_receives()
    {
        _network.TakeDown(s_hostB);
        _a.Send("40010001");
        _b.Send("40010002");
        Assert.Empty(_a.Received);
        Assert.Empty(_b.Received);
        Assert.Equal(2, Count(NetworkEventKind.HostDown));
        _network.BringUp(s_hostB);
        _a.Send("40010003");
        _b.Expect("40010003");
    }

    [Fact]
    public void A_restart_drops_datagrams_in_flight_and_ends_when_its_time_elapses()
    {
        _network.Conditions = NetworkConditions.Delayed(FromSeconds(10));
        _a.Send("40010001");
        _network.Conditions = NetworkConditions.Perfect;
        _network.Restart(s_b, FromSeconds(2));
        _a.Send("40010002");
        _clock.Advance(FromSeconds(2));
        _b.Send("40010003");
        _a.Expect("40010003");
        _clock.Advance(FromSeconds(10));
        Assert.Empty(_b.Received);
        _a.Send("40010004");
        _b.Expect("40010004");
    }

    [Theory]
    [InlineData(-0.01)]
    [InlineData(1.01)]
    [InlineData(double.NaN)]
    public void Probabilities_are_from_0_to_1(double value)
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => new NetworkConditions { Loss = value });
        Assert.Throws<ArgumentOutOfRangeException>(() => new NetworkConditions { Duplication = value });
        Assert.Throws<ArgumentOutOfRangeException>(() => new NetworkConditions { Corruption = value });
        Assert.Throws<ArgumentOutOfRangeException>(() => new NetworkConditions { Reordering = value });
    }

    private static string Text(int i) => $"4001{i:x4}";

    private static byte[] Message(int i) => Wire.Hex(Text(i));

    private int Count(NetworkEventKind kind) => _network.Trace.Count(happened => happened.Kind == kind);

    private void SendMany()
    {
        for (int i = 0; i < Many; i++)
        {
            _a.Send(Message(i));
        }

        _clock.Advance(FromSeconds(10));
    }
}
