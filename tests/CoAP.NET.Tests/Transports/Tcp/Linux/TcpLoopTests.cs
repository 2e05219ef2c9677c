using System.Collections.Concurrent;
using System.Net;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Udp;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class TcpLoopTests : LinuxTcpTest
{
    [LinuxFact]
    public async Task Each_of_400_connections_is_served_by_the_loop_of_its_shard()
    {
        LoopTestContext context = new() { Shards = 4 };
        ConcurrentDictionary<(int Shard, int Thread), int> seen = new();
        context.OnFrame = (connection, frame) =>
        {
            seen.AddOrUpdate((context.ShardOf(connection.Remote), Environment.CurrentManagedThreadId), 1, static (_, n) => n + 1);
            LoopTestContext.Echo(connection, frame);
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        StreamPeer[] peers = await Task.WhenAll(Enumerable.Range(0, 400).Select(_ => ConnectAsync(transport)));
        for (int round = 0; round < 3; round++)
        {
            await Task.WhenAll(peers.Select(static peer => peer.SendAsync("2002ff412002ff42")));
            Assert.All(await Task.WhenAll(peers.Select(static peer => peer.ReceiveAsync(8))),
                static bytes => Assert.Equal("2002ff412002ff42", Wire.Hex(bytes)));
        }

        Assert.Equal(peers.Length * 6, seen.Values.Sum());
        Assert.Equal(4, seen.Count);
        Assert.Equal(4, seen.Keys.Select(static key => key.Thread).Distinct().Count());
        Array.ForEach(peers, static peer => peer.Dispose());
        for (int i = 0; i < peers.Length; i++)
        {
            Assert.Null((await NextAsync(context.ClosedOnes)).Error);
        }
    }

    [LinuxFact]
    public async Task A_request_and_its_answer_allocate_nothing_in_the_transport()
    {
        const int Count = 1200;
        CoapDatagramPool pool = new(64);
        AllocationMarks marks = new(callsOfPart: 200);
        LoopTestContext context = new()
        {
            OnFrame = (connection, frame) =>
            {
                marks.Note();
                CoapDatagram answer = pool.Rent();
                frame.Span.CopyTo(answer.Buffer);
                answer.Length = frame.Length;
                frame.Dispose();
                connection.Send(answer);
            },
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer peer = await ConnectAsync(transport);
        for (int i = 0; i < Count; i++)
        {
            await HasServedAsync(peer);
        }

        Assert.InRange(marks.TakeLeast(), 0, 1);
    }

    [LinuxFact]
    public async Task A_connection_that_sends_without_a_pause_does_not_keep_other_connections_from_being_served()
    {
        LoopTestContext context = new();
        bool busy = true;
        context.OnFrame = (connection, frame) =>
        {
            if (frame.Length == 2)
            {
                LoopTestContext.Echo(connection, frame);
            }
            else
            {
                frame.Dispose();
            }
        };
        await using CoapTcpTransport transport = await ListenAsync(context);
        using StreamPeer greedy = await ConnectAsync(transport);
        using StreamPeer other = await ConnectAsync(transport);
        byte[] much = [.. Enumerable.Repeat(Wire.Hex("2002ff41"), 50_000).SelectMany(static frame => frame)];
        Task flood = context.Threads.RunAsync(() =>
        {
            while (Volatile.Read(ref busy))
            {
                greedy.Socket.Send(much);
            }
        });

        for (int i = 0; i < 50; i++)
        {
            await HasServedAsync(other);
        }

        Volatile.Write(ref busy, false);
        await flood;
    }

    [LinuxFact]
    public async Task The_UDP_and_TCP_transports_of_an_endpoint_share_their_loops_and_one_clock()
    {
        using SemaphoreSlim ticked = new(0);
        int ticks = 0;
        LoopTestContext context = new()
        {
            OnTick = () =>
            {
                Interlocked.Increment(ref ticks);
                ticked.Release();
                return Timeout.InfiniteTimeSpan;
            },
        };
        CoapUdpTransportOptions options = new() { IsServer = true, Engine = CoapSocketEngine.LinuxLoop };
        options.Endpoints.Add(new IPEndPoint(IPAddress.Loopback, 0));
        CoapUdpTransport udp = new(options);
        await udp.StartAsync(context, CancellationToken.None);
        CoapTcpTransport tcp = await ListenAsync(context);
        CoapTcpTransport client = await ClientAsync(context);
        Assert.True(udp.DrivesClock);
        Assert.True(tcp.DrivesClock);
        Assert.False(client.DrivesClock);

        // The loop of the server, and the one that clients share.
        Assert.Equal(2, context.Threads.Running);
        await client.DisposeAsync();
        using StreamPeer peer = await ConnectAsync(tcp);
        await HasServedAsync(peer);
        int before = Volatile.Read(ref ticks);
        while (ticked.Wait(0))
        {
        }

        for (int i = 0; i < 20; i++)
        {
            (i % 2 == 0 ? (CoapTransport)udp : tcp).Wake();
            Assert.True(await ticked.WaitAsync(Hang));
        }

        await HasServedAsync(peer);
        Assert.Equal(before + 20, Volatile.Read(ref ticks));

        await udp.DisposeAsync();
        await HasServedAsync(peer);
        tcp.Wake();
        Assert.True(await ticked.WaitAsync(Hang));
        await tcp.DisposeAsync();
        await context.Threads.WhenAtMostAsync(1);
    }

    [LinuxFact]
    public async Task An_endpoint_with_UDP_and_TCP_answers_requests_over_both_on_one_thread()
    {
        CountingScheduler threads = new();
        await using CoapServer server = new(new CoapEndpointOptions { Pipeline = { Scheduler = threads } });
        server.MapGet("/x", static () => CoapResults.Text("hi"));
        CoapTcpTransportOptions options = new() { Engine = CoapSocketEngine.LinuxLoop };
        options.Endpoints.Add(new IPEndPoint(IPAddress.IPv6Any, 0));
        CoapTcpTransport tcp = new(options);
        server.Endpoint.AddTransport(tcp);
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        Assert.Equal(1, threads.Running);
        await using CoapClient client = new();
        string udp = server.LocalEndpoints.Single(static uri => uri.Scheme == "coap").Origin();
        await client.GetAsync($"{udp}/x").WaitAsync(Hang).Says("hi");

        using StreamPeer peer = await ConnectAsync(tcp);
        Assert.Equal("70e1", Wire.Hex(await peer.ReceiveAsync(9))[..4]);
        await peer.SendAsync("00e1" + "2101aab178" + "2101abb178");

        // A handler that the system keeps from its end holds nobody else up.
        string[] answers = [Wire.Hex(await peer.ReceiveAsync(7)), Wire.Hex(await peer.ReceiveAsync(7))];
        Assert.Equal(["4145aac0ff6869", "4145abc0ff6869"], answers.Order());
        Assert.Equal(1, server.Endpoint.Counters[CoapCounter.ConnectionsAccepted]);
        peer.Reset();
    }
}
