using CoAP.NET.Testing;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Testing;

/// <summary>The snippets of docs/testing.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public class DocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("testing.md", "Testing", 11);

    [Fact]
    public void The_result_of_a_handler_has_the_code_the_options_and_the_payload_of_the_answer()
    {
        static CoapResult Read(string room) => CoapResults.Json(room == "kitchen" ? 21.5 : 19.0);

        CoapResult result = Read("kitchen");

        Assert.Equal(CoapCode.Content, result.Code);
        Assert.Equal(CoapContentFormat.Json, result.Options.ContentFormat);
        Assert.Equal("21.5", Encoding.UTF8.GetString(result.Payload.Span));

        Assert.Equal(CoapCode.Content, ((CoapResult)"21.5").Code);
    }

    [Fact]
    public void The_clock_moves_only_when_the_test_advances_the_clock()
    {
        VirtualClock clock = new();
        Task delay = Task.Delay(TimeSpan.FromMinutes(10), clock);

        clock.Advance(TimeSpan.FromMinutes(10));

        Assert.True(delay.IsCompleted);
    }

    [Fact]
    public async Task The_clock_advances_while_code_awaits()
    {
        VirtualClock clock = new();

        int result = await clock.AdvanceUntilAsync(AskTwiceAsync(clock), max: TimeSpan.FromMinutes(1));

        Assert.Equal(42, result);
        Assert.Equal(TimeSpan.FromSeconds(6), clock.Elapsed);

        static async Task<int> AskTwiceAsync(TimeProvider time)
        {
            await Task.Delay(TimeSpan.FromSeconds(2), time).ConfigureAwait(false);
            await Task.Delay(TimeSpan.FromSeconds(4), time).ConfigureAwait(false);
            return 42;
        }
    }

    [Fact]
    public void Scripted_peers_send_and_expect_the_given_bytes()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        using ScriptedPeer device = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        using ScriptedPeer client = network.CreatePeer(InMemoryNetwork.Address("192.0.2.2:0"), remote: device.Address);

        client.Send("41 01 7d35 20 b4 'temp'");
        ReceivedDatagram request = device.Expect("4? 01 <mid:2> <token:tkl> b4 'temp'");
        device.Piggyback(request, CoapCode.Content, "ff '22.3 C'");
        client.Expect("61 45 7d35 20 ff '22.3 C'");
    }

    [Fact]
    public void A_test_can_check_the_arrival_time_of_datagrams()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        using ScriptedPeer device = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        using ScriptedPeer client = network.CreatePeer(InMemoryNetwork.Address("192.0.2.2:0"), remote: device.Address);
        client.Send("40 01 7d35");
        using ITimer retransmission = clock.CreateTimer(_ => client.Send("40 01 7d35"), null, TimeSpan.FromSeconds(2.7),
            Timeout.InfiniteTimeSpan);

        ReceivedDatagram first = device.Expect("40 01 <mid:2>");
        device.ExpectNothingFor(TimeSpan.FromSeconds(2));
        ReceivedDatagram second = device.ExpectWithin("40 01 <mid>", TimeSpan.FromSeconds(1));

        Assert.InRange(second.Time - first.Time, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(3));
    }

    [Fact]
    public void A_test_can_script_network_faults_or_draw_them_from_a_seed()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions
        {
            Seed = 7,
            Conditions = new NetworkConditions
            {
                Loss = 0.1,
                Duplication = 0.05,
                Corruption = 0.01,
                Reordering = 0.1,
                MinDelay = TimeSpan.FromMilliseconds(20),
                MaxDelay = TimeSpan.FromMilliseconds(200),
            },
            ReportsPortUnreachable = true,
        });
        using ScriptedPeer a = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        using ScriptedPeer b = network.CreatePeer(InMemoryNetwork.Address("192.0.2.2:5683"));
        (CoapAddress client, CoapAddress server) = (a.Address, b.Address);

        network.DropNext(2, from: client);
        network.DropNth(3, to: server);
        network.Partition(client, server);
        network.Heal();
        network.SetConditions(client, server, new NetworkConditions { Mtu = 128 });
        network.Rebind(client, InMemoryNetwork.Address("198.51.100.7:40001"));
        network.Restart(server, downtime: TimeSpan.FromSeconds(30));
        network.Filter = packet => packet.Code == CoapCode.Get ? NetworkVerdict.Delay(TimeSpan.FromSeconds(5)) : NetworkVerdict.Pass;

        Assert.True(clock.RunUntilIdle(TimeSpan.FromMinutes(1)));
        Assert.Equal(TimeSpan.FromSeconds(30), clock.Elapsed);
    }

    [Fact]
    public void A_datagram_over_a_bottleneck_arrives_after_its_transmission_time_and_the_delay()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        NetworkBottleneck radio = new(bytesPerSecond: 2500, queueLength: 20);
        network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(50)) with { Bottleneck = radio };
        using ScriptedPeer a = network.CreatePeer(InMemoryNetwork.Address("192.0.2.1:5683"));
        a.SendTo(InMemoryNetwork.Address("192.0.2.2:5683"), "40010001");
        Assert.Equal(TimeSpan.FromMilliseconds(62.8), clock.NextDue);
    }

    [Fact]
    public void Returned_buffers_are_poisoned()
    {
        using IDisposable poison = BufferPoison.Start();
        CoapDatagram datagram = new CoapDatagramPool(16).Rent();
        datagram.Dispose();
        Assert.Equal(BufferPoison.Value, datagram.Buffer[15]);
    }

    [Fact]
    public void Queued_work_waits_for_the_test()
    {
        List<object?> ran = [];

        VirtualScheduler scheduler = new();
        scheduler.Queue(state => ran.Add(state), "work");
        Assert.Empty(ran);
        scheduler.RunAll();
        Assert.Equal(["work"], ran);
    }

    [Fact]
    public async Task UdpScriptedPeers_send_and_expect_messages_over_real_sockets()
    {
        using UdpScriptedPeer server = new();
        using UdpScriptedPeer client = new() { Remote = CoapAddress.FromIPEndPoint(server.EndPoint) };

        client.Send("40 00 0001");
        server.Reset(await server.ExpectAsync("40 00 <mid:2>"));
        await client.ExpectAsync("70 00 0001");
    }

    [Fact]
    public async Task A_server_and_a_client_over_a_network_that_loses_a_third_of_everything()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock,
            new InMemoryNetworkOptions
            {
                Seed = 7,
                Conditions = new() { Loss = 0.3, Duplication = 0.1, MaxDelay = TimeSpan.FromSeconds(1) }
            });
        CoapEndpointOptions options = new() { TimeProvider = clock, Pipeline = { Random = new VirtualRandom(7) } };

        int runs = 0;
        await using CoapServer server = new(options);
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        server.MapPost("/count", () => $"{++runs}");
        await server.StartAsync();

        await using CoapClient client = new(options);
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
        Task<CoapResponse> request = client.PostAsync("coap://192.0.2.1/count", null);
        CoapResponse response = await clock.AdvanceUntilAsync(request, max: TimeSpan.FromMinutes(2));

        Assert.Equal("1", response.GetText());
        Assert.Equal(1, runs);

        int sent = network.Trace.Count(happened => happened.Kind == NetworkEventKind.Sent);
        Assert.True(sent >= 2);
    }
}
