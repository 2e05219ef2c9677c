using CoAP.NET.Testing;
using CoAP.NET.Testing.Network;

namespace CoAP.NET.Tests.Testing;

public class InMemoryNetworkTests
{
    private static readonly CoapAddress s_a = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_b = InMemoryNetwork.Address("192.0.2.2:5683");
    private static readonly CoapAddress s_c = InMemoryNetwork.Address("[2001:db8::3]:5683");

    private readonly VirtualClock _clock = new();

    [Fact]
    public void A_datagram_without_delay_arrives_immediately()
    {
        InMemoryNetwork network = new(_clock);
        ScriptedPeer a = network.CreatePeer(s_a, s_b);
        ScriptedPeer b = network.CreatePeer(s_b);

        a.Send("40 01 7d34");

        ReceivedDatagram received = b.Expect("40 01 7d34");
        Assert.Equal(s_a, received.From);
        Assert.Equal(s_b, received.To);
        Assert.Equal(TimeSpan.Zero, received.Time);
        b.ExpectNothing();
        a.ExpectNothing();
    }

    [Fact]
    public void A_datagram_arrives_when_the_clock_advances_by_zero_without_DeliverImmediately()
    {
        InMemoryNetwork network = new(_clock, new() { DeliverImmediately = false });
        ScriptedPeer a = network.CreatePeer(s_a, s_b);
        ScriptedPeer b = network.CreatePeer(s_b);

        a.Send("40 01 7d34");
        Assert.Null(b.Receive());
        Assert.Equal(1, network.InFlightCount);

        _clock.Advance(TimeSpan.Zero);
        b.Expect("40 01 7d34");
        Assert.Equal(0, network.InFlightCount);
    }

    [Fact]
    public void A_delayed_datagram_arrives_at_its_time()
    {
        InMemoryNetwork network = new(_clock, new() { Conditions = NetworkConditions.Delayed(FromMilliseconds(30)) });
        ScriptedPeer a = network.CreatePeer(s_a, s_b);
        ScriptedPeer b = network.CreatePeer(s_b);
        _clock.Advance(FromSeconds(1));

        a.Send("40 01 7d34");
        _clock.Advance(FromSeconds(1));

        Assert.Equal(FromMilliseconds(1030), b.Expect("40 01 7d34").Time);
    }

    [Fact]
    public async Task A_datagram_never_arrives_inside_the_Send_call_of_a_peer()
    {
        InMemoryNetwork network = new(_clock, new() { Scheduler = new VirtualScheduler(runsInline: true) });
        List<string> steps = [];
        RecordingContext server = new(_clock);
        await using InMemoryTransport transport = network.CreateHost(s_b);
        await transport.StartAsync(server, CancellationToken.None);
        using ScriptedPeer a = network.CreatePeer(s_a, s_b);
        a.Responder = _ =>
        {
            steps.Add("answer arrives");
            return false;
        };
        server.OnReceive = datagram =>
        {
            RecordingContext.Send(transport, datagram.Remote, "60007d34");
            steps.Add("send returned");
        };

        a.Send("40 01 7d34");

        Assert.Equal(["send returned", "answer arrives"], steps);
        a.Expect("60 00 7d34");
    }

    [Fact]
    public async Task A_datagram_never_arrives_inside_the_Send_call_of_a_transport()
    {
        InMemoryNetwork network = new(_clock, new() { Scheduler = new VirtualScheduler(runsInline: true) });
        await using InMemoryTransport transport = network.CreateHost(s_b);
        await transport.StartAsync(new RecordingContext(_clock), CancellationToken.None);
        using ScriptedPeer a = network.CreatePeer(s_a);

        RecordingContext.Send(transport, s_a, "40017d34");
        Assert.Empty(a.Received);
        _clock.Advance(TimeSpan.Zero);
        Assert.Single(a.Received);
    }

    [Fact]
    public async Task A_scheduler_delivers_datagrams_without_advancing_the_clock()
    {
        VirtualScheduler scheduler = new();
        InMemoryNetwork network = new(_clock, new() { Scheduler = scheduler });
        await using InMemoryTransport transport = network.CreateHost(s_b);
        await transport.StartAsync(new RecordingContext(_clock), CancellationToken.None);
        using ScriptedPeer a = network.CreatePeer(s_a);

        RecordingContext.Send(transport, s_a, "40017d34");
        RecordingContext.Send(transport, s_a, "40017d35");
        Assert.Equal(1, scheduler.Pending);
        Assert.Empty(a.Received);
        scheduler.RunAll();
        Assert.Equal(["40017d34", "40017d35"], a.Received.Select(received => received.Hex));
    }

    [Fact]
    public async Task A_network_on_the_system_clock_delivers_datagrams_on_pool_threads()
    {
        InMemoryNetwork network = new(TimeProvider.System, new() { Scheduler = CoapThreadScheduler.Default });
        await using InMemoryTransport transport = network.CreateHost(s_b);
        RecordingContext server = new(TimeProvider.System);
        await transport.StartAsync(server, CancellationToken.None);
        server.OnReceive = datagram => RecordingContext.Send(transport, datagram.Remote, "60007d34");
        await using InMemoryTransport client = network.CreateHost(s_a);
        TaskCompletionSource<string> answer = new(RunContinuationsAsynchronously);
        await client.StartAsync(new RecordingContext(TimeProvider.System)
        {
            OnReceive = datagram => answer.SetResult(Wire.Hex(datagram.Span))
        }, CancellationToken.None);

        RecordingContext.Send(client, s_b, "40017d34");

        Assert.Equal("60007d34", await answer.Task.WaitAsync(FromMinutes(2)));
    }

    [Fact]
    public void An_address_is_free_again_after_its_peer_is_disposed()
    {
        InMemoryNetwork network = new(_clock);
        ScriptedPeer first = network.CreatePeer(s_a);
        Assert.Throws<CoapException>(() => network.CreatePeer(s_a));
        first.Dispose();
        network.CreatePeer(s_a);
    }

    [Fact]
    public void Port_zero_takes_the_next_free_port_of_the_host()
    {
        InMemoryNetwork network = new(_clock);
        CoapAddress host = s_a with { Port = 0 };
        Assert.Equal(49152, network.CreatePeer(host).Address.Port);
        Assert.Equal(49153, network.CreatePeer(host).Address.Port);
        Assert.Equal(49152, network.CreatePeer(s_b with { Port = 0 }).Address.Port);
    }

    [Theory]
    [InlineData("0.0.0.0:5683")]
    [InlineData("[::]:5683")]
    [InlineData("224.0.1.187:5683")]
    public void A_host_has_one_address_of_its_own(string address)
    {
        InMemoryNetwork network = new(_clock);
        Assert.Throws<ArgumentException>(() => network.CreateHost(InMemoryNetwork.Address(address)));
        Assert.Throws<ArgumentException>(() => network.CreatePeer(InMemoryNetwork.Address(address)));
    }

    [Fact]
    public void A_datagram_to_an_unused_address_is_lost_and_reported_only_with_ReportsPortUnreachable()
    {
        foreach (bool told in new[] { false, true })
        {
            InMemoryNetwork network = new(_clock, new() { ReportsPortUnreachable = told });
            using ScriptedPeer a = network.CreatePeer(s_a, s_b);
            a.Send("40 01 7d34");
            Assert.Equal(told ? 1 : 0, a.UnreachableCount);
            Assert.Contains(network.Trace, happened => happened.Kind == NetworkEventKind.NoListener);
            Assert.Equal(told, network.Trace.Any(happened => happened.Kind == NetworkEventKind.PortUnreachable));
        }
    }

    [Fact]
    public async Task A_multicast_datagram_reaches_every_other_member_and_carries_the_group_address()
    {
        InMemoryNetwork network = new(_clock);
        CoapAddress group = InMemoryNetwork.Address("[ff02::fd]:5683");
        List<(InMemoryTransport Transport, RecordingContext Context)> members = [];
        foreach (CoapAddress address in new[] { s_c, s_a, s_b })
        {
            members.Add((network.CreateHost(address), new RecordingContext(_clock)));
            await members[^1].Transport.StartAsync(members[^1].Context, CancellationToken.None);
            network.JoinGroup(address, group);
        }

        using ScriptedPeer outsider = network.CreatePeer(InMemoryNetwork.Address("192.0.2.9:5683"));
        outsider.SendTo(group, "50 01 7d41");

        foreach ((InMemoryTransport _, RecordingContext context) in members)
        {
            Assert.Equal(("50017d41", outsider.Address, group, false), Assert.Single(context.Received));
        }

        Assert.Equal([s_a, s_b, s_c],
            network.Trace.Where(happened => happened.Kind == NetworkEventKind.Delivered).Select(happened => happened.To));

        RecordingContext.Send(members[0].Transport, group, "50017d42");
        network.Pump();
        Assert.Single(members[0].Context.Received);
        Assert.Equal(2, members[1].Context.Received.Count);
        Assert.Throws<ArgumentException>(() => network.JoinGroup(s_c, s_a));
        Assert.Throws<ArgumentException>(() => network.JoinGroup(InMemoryNetwork.Address("192.0.2.10:5683"), group));
    }

    [Fact]
    public void The_trace_prints_each_event_in_readable_form()
    {
        InMemoryNetwork network = new(_clock, new() { Conditions = NetworkConditions.Delayed(FromMilliseconds(1.5)) });
        using ScriptedPeer a = network.CreatePeer(s_a, s_c);
        using ScriptedPeer c = network.CreatePeer(s_c);
        a.Send("41 01 7d35 20 b4 'temp'");
        _clock.Advance(FromSeconds(1));
        c.Send($"60 45 7d35 ff '{new string('x', 40)}'");

        string[] lines = network.ToString().Split(Environment.NewLine);

        Assert.Equal(
            [
                "    0.000000 Sent              #1 192.0.2.1:5683 > [2001:db8::3]:5683 CON GET mid 7d35 token 20 (10 B) "
                    + "41017d3520b474656d70",
                "    0.001500 Delivered         #1 192.0.2.1:5683 > [2001:db8::3]:5683 CON GET mid 7d35 token 20 (10 B) "
                    + "41017d3520b474656d70",
                "    1.000000 Sent              #2 [2001:db8::3]:5683 > 192.0.2.1:5683 ACK 2.05 Content mid 7d35 (45 B) "
                    + "60457d35ff787878787878787878787878787878787878787878787878787878..",
            ],
            lines);
    }

    [Fact]
    public void The_trace_keeps_the_newest_events_and_counts_the_dropped_ones()
    {
        InMemoryNetwork network = new(_clock, new() { MaxTraceLength = 3 });
        using ScriptedPeer a = network.CreatePeer(s_a, s_b);
        using ScriptedPeer b = network.CreatePeer(s_b);
        a.Send("40 01 0001");
        a.Send("40 01 0002");
        Assert.Equal([NetworkEventKind.Delivered, NetworkEventKind.Sent, NetworkEventKind.Delivered],
            network.Trace.Select(happened => happened.Kind));
        network.ToString().Begins("(1 earlier events)");
    }

    [Fact]
    public void An_endless_loop_of_answers_throws_InvalidOperationException()
    {
        InMemoryNetwork network = new(_clock, new() { MaxTraceLength = 10 });
        using ScriptedPeer a = network.CreatePeer(s_a, s_b);
        using ScriptedPeer b = network.CreatePeer(s_b, s_a);
        a.Responder = Echo(a);
        b.Responder = Echo(b);
        InvalidOperationException error = Assert.Throws<InvalidOperationException>(() => a.Send("70 00 0001"));
        error.Mentions("RST 0.00 Empty mid 0001");

        static Func<ReceivedDatagram, bool> Echo(ScriptedPeer peer) => received =>
        {
            peer.Send(received.Data.Span);
            return true;
        };
    }

    [Fact]
    public void Later_datagrams_still_arrive_after_a_receiver_throws()
    {
        InMemoryNetwork network = new(_clock);
        using ScriptedPeer a = network.CreatePeer(s_a, s_b);
        using ScriptedPeer b = network.CreatePeer(s_b);
        b.Responder = received => received.MessageId == 1 ? throw new FormatException() : false;
        Assert.Throws<FormatException>(() => a.Send("40 01 0001"));
        a.Send("40 01 0002");
        b.Expect("40 01 0002");
    }
}
