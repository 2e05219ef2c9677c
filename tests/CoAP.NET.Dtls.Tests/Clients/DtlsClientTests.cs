namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Sessions that a client opens.</summary>
public sealed class DtlsClientTests
{
    private static readonly byte[] s_hello = "hello"u8.ToArray();

    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    [InlineData(4)]
    public async Task Messages_are_exchanged_in_both_directions(int suite)
    {
        using ClientBench bench = new(BenchSettings.OfPsk(suite));
        DtlsSession session = await bench.ConnectAsync();
        Assert.Same(session, Assert.Single(bench.Sink.Opened));
        Assert.Equal((1, 0), (bench.Client.SessionCount, bench.Client.HandshakeCount));
        Assert.Equal(("user", CipherSuite.All[suite]), (session.PskIdentity, session.Suite));
        await ExchangeAsync(bench, session, Assert.Single(bench.ServerSink.Opened));
    }

    [Fact]
    public async Task The_session_is_reported_before_the_connect_task_completes()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        Task<bool> seen = bench.BeginAsync().ContinueWith(task => bench.Sink.Opened.Contains(task.Result), TaskScheduler.Default);
        await bench.DriveAsync(() => seen.IsCompleted);
        Assert.True(await seen);
    }

    [Theory]
    [InlineData(null, 0)]
    [InlineData("gateway", 1)]
    public async Task The_key_is_chosen_by_name_address_and_hint(string? name, int host)
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Server = settings.Server with { PskIdentityHint = "site 7" };
        List<string> asked = [];
        settings.Sessions = settings.Sessions with
        {
            SelectPsk = (server, _) =>
            {
                asked.Add($"{server.Host}|{server.RemoteEndPoint}|{server.IdentityHint}");
                return new(new CoapPskCredential("user", BenchSettings.Key));
            },
        };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(host + 1, name);
        Assert.Equal([$"{name}|192.0.2.1:5684|site 7"], asked);
    }

    [Fact]
    [Rfc("7252-9-2")]
    public async Task A_closed_session_is_reported_and_close_notify_is_answered()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        DtlsSession first = await bench.ConnectAsync(1);
        DtlsSession second = await bench.ConnectAsync(2);
        bench.Client.End(first, DtlsSessionEndReason.Closed, tells: true);
        bench.Carry();
        Assert.Equal(DtlsSessionEndReason.ClosedByPeer, Assert.Single(bench.ServerSink.Closed).Reason);
        bench.Server.End(bench.ServerSink.Opened[1], DtlsSessionEndReason.Closed, tells: true);
        bench.Carry();
        Assert.Equal([(first, DtlsSessionEndReason.Closed), (second, DtlsSessionEndReason.ClosedByPeer)], bench.Sink.Closed);
        Assert.Equal((0, 0), (bench.Client.SessionCount, bench.Server.SessionCount));
        Assert.False(second.Send(s_hello));
    }

    [Fact]
    public async Task A_session_ends_after_its_idle_timeout()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Sessions = settings.Sessions with { IdleTimeout = FromHours(1) };
        using ClientBench bench = new(settings);
        DtlsSession session = await bench.ConnectAsync();
        bench.Clock.Advance(FromMinutes(59));
        bench.Client.Tick();
        Assert.Empty(bench.Sink.Closed);
        bench.Clock.Advance(FromMinutes(2));
        bench.Client.Tick();
        Assert.Equal((session, DtlsSessionEndReason.Evicted), Assert.Single(bench.Sink.Closed));
    }

    [Fact]
    public async Task A_server_that_restarted_gets_a_new_session_over_the_same_path()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        DtlsSession before = await bench.ConnectAsync();
        bench.RestartServer();
        Assert.True(before.Send(s_hello));
        bench.Carry();
        Assert.Empty(bench.ServerSink.Received);
        DtlsSession after = await bench.ConnectAsync();
        Assert.Equal((before, DtlsSessionEndReason.Replaced), Assert.Single(bench.Sink.Closed));
        await ExchangeAsync(bench, after, bench.ServerSink.Opened[1]);
        Assert.Equal(1, bench.Client.SessionCount);
    }

    [Fact]
    public async Task Two_handshakes_over_the_same_path_run_sequentially()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        bench.Loses = (_, _, _) => true;
        Task<DtlsSession> first = bench.BeginAsync();
        bench.Loses = null;
        Task<DtlsSession> second = bench.BeginAsync(serverName: "another");
        Assert.Equal(1, bench.Client.HandshakeCount);
        await bench.DriveAsync(() => first.IsCompleted && second.IsCompleted);
        Assert.Equal([await first, await second], bench.Sink.Opened);
        Assert.Equal((await first, DtlsSessionEndReason.Replaced), Assert.Single(bench.Sink.Closed));
        await ExchangeAsync(bench, await second, bench.ServerSink.Opened[1]);
    }

    [Fact]
    public async Task A_server_that_uses_the_Connection_ID_of_the_client_may_change_its_address()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { OwnCidLength = 4 };
        using ClientBench bench = new(settings);
        DtlsSession session = await bench.ConnectAsync();
        Assert.Equal(4, session.OwnCid.Length);
        byte[]? said = null;
        bench.Loses = (_, toServer, bytes) =>
        {
            said = bytes;
            return !toServer;
        };
        Assert.True(bench.ServerSink.Opened[0].Send(s_hello));
        DtlsPath elsewhere = ClientBench.Incoming() with { Remote = CoapAddress.FromIPv4(0xC0000202, 5684) };
        Assert.True(bench.Client.Receive(elsewhere, [.. said!]));
        Assert.Equal(s_hello, Assert.Single(bench.Sink.Received).Content);
        Assert.Equal((session, ClientBench.Path()), Assert.Single(bench.Sink.Moves));
        Assert.Equal(elsewhere, session.Path);

        // It is found by its new path to be ended, and no more by the old one.
        bench.Client.End(session, DtlsSessionEndReason.Closed, tells: false);
        Assert.Equal(0, bench.Client.SessionCount);
    }

    [Fact]
    public async Task Client_messages_are_left_to_a_server_on_the_same_socket()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        List<byte[]> ofClient = [];
        bench.Loses = (_, toServer, bytes) =>
        {
            if (toServer)
            {
                ofClient.Add([.. bytes]);
            }

            return false;
        };
        await bench.ConnectAsync();
        Task<DtlsSession> other = bench.Client.ConnectAsync(ClientBench.Path(2), null, CancellationToken.None);
        foreach (byte[] datagram in ofClient)
        {
            Assert.False(bench.Client.Receive(ClientBench.Incoming(3), [.. datagram]));

            // A ClientHello. What was said again may come as a ChangeCipherSpec by itself, whose only byte is a 1 as well.
            if (datagram[0] == (byte)ContentType.Handshake && datagram[13] is 1)
            {
                Assert.False(bench.Client.Receive(ClientBench.Incoming(2), [.. datagram]));
                Assert.False(bench.Client.Receive(ClientBench.Incoming(1), [.. datagram]));
            }
        }

        Assert.False(bench.Client.Receive(ClientBench.Incoming(1), []));
        Assert.False(bench.Client.Receive(ClientBench.Incoming(1), [1, 2, 3]));
        await bench.DriveAsync(() => other.IsCompleted);
        await other;
    }

    [Theory]
    [InlineData(0)]
    [InlineData(4)]
    public async Task Receiving_a_message_allocates_no_memory(int cidLength)
    {
        const int Count = 200;
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { OwnCidLength = cidLength };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync();
        List<byte[]> datagrams = [];
        bench.Loses = (_, _, bytes) =>
        {
            datagrams.Add(bytes);
            return true;
        };
        for (int i = 0; i < Count; i++)
        {
            Assert.True(bench.ServerSink.Opened[0].Send(s_hello));
        }

        bench.Sink.CountsOnly = true;
        DtlsPath path = ClientBench.Incoming();
        int next = 0;
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < Count / Allocations.Runs; i++)
            {
                bench.Client.Receive(path, datagrams[next++]);
            }
        });

        Assert.Equal(0, allocated);
        Assert.Equal(Count, bench.Sink.Counted);
    }

    [Fact]
    public async Task A_client_makes_100_concurrent_handshakes_on_pool_threads()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Run = (_, work) => Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);
        settings.Limits = settings.Limits with { MaxHandshakesPerAddress = 200 };
        using ClientBench bench = new(settings);
        Task<DtlsSession>[] tasks = [
            .. Enumerable.Range(1, 100).Select(tag => bench.Client.ConnectAsync(ClientBench.Path(tag), null, CancellationToken.None))];
        await bench.DriveAsync(() => tasks.All(task => task.IsCompleted) && bench.Server.SessionCount == 100);
        DtlsSession[] sessions = await Task.WhenAll(tasks);
        Assert.Equal((100, 0), (bench.Client.SessionCount, bench.Client.HandshakeCount));
        foreach (DtlsSession session in sessions)
        {
            Assert.True(session.Send(s_hello));
        }

        bench.Carry();
        Assert.Equal(100, bench.ServerSink.Received.Select(one => one.Session).Distinct().Count());
    }

    internal static async Task ExchangeAsync(ClientBench bench, DtlsSession client, DtlsSession server)
    {
        Assert.True(client.Send(s_hello));
        Assert.True(server.Send([.. s_hello, 1]));
        bench.Carry();
        await Eventually.IsTrueAsync(() => bench.Sink.Received.Count > 0 && bench.ServerSink.Received.Count > 0);
        (DtlsSession atServer, byte[] toServer) = bench.ServerSink.Received[^1];
        (DtlsSession atClient, byte[] toClient) = bench.Sink.Received[^1];
        Assert.Equal((server, client), (atServer, atClient));
        Assert.Equal(s_hello, toServer);
        Assert.Equal([.. s_hello, 1], toClient);
    }
}
