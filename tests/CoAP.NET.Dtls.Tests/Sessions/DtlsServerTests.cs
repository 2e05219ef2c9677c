namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions and handshakes of a server.</summary>
public sealed class DtlsServerTests
{
    private static readonly byte[] s_hello = "hello"u8.ToArray();

    [Fact]
    public void A_handshake_that_begins_while_another_one_over_the_same_path_ends_is_kept()
    {
        using ServerBench bench = new();
        DtlsPath path = ServerBench.Path(1);
        List<byte[]> hellos = [];
        BenchClient second = new(
            bench.ClientContext, bench.Clock, (_, datagram) => hellos.Add(datagram), path, "user", ServerBench.Key, withCid: true);
        using ClientHandshake handshake = second.Handshake;
        bench.LosesOfServer = request =>
        {
            second.Receive(request);
            return true;
        };
        handshake.Start(null);
        second.Flush();
        bench.Server.Receive(path, hellos[0]);
        bench.LosesOfServer = null;
        bench.OnOpened = () => bench.Server.Receive(path, hellos[1]);
        bench.Connect(path);
        Assert.Equal((1, 1), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Fact]
    [Rfc("6347-4.2.1-1")]
    public void The_server_keeps_no_state_for_a_client_before_it_returns_a_cookie()
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1);
        byte[] hello = client.Sent[0];
        bench.SentByServerReset();
        for (int i = 0; i < 1_000; i++)
        {
            bench.Server.Receive(ServerBench.Path(1_000 + i), [.. hello]);
        }

        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
        Assert.True(bench.SentByServer <= 1_000L * hello.Length, "A HelloVerifyRequest is longer than the ClientHello.");

        // The cookie of one address is of no use at another.
        bench.Server.Receive(ServerBench.Path(9_999), [.. client.Sent[1]]);
        Assert.Equal((1, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    [Rfc("6347-4.2.8-1")]
    public void An_unfinished_handshake_does_not_affect_an_existing_session(bool withCid)
    {
        using ServerBench bench = new();
        BenchClient honest = bench.Connect(1, withCid: withCid);
        BenchClient other = bench.Connect(1, key: "wrong"u8.ToArray(), withCid: withCid);
        Assert.Null(other.Session);
        Assert.Empty(bench.Closed);
        Assert.True(honest.Session!.Send(s_hello));
        Assert.Equal(s_hello, Assert.Single(bench.Received).Content);
        Assert.Equal(1, bench.Server.HandshakeCount);
        bench.Clock.Advance(FromSeconds(31));
        bench.Server.Tick();
        Assert.Equal(0, bench.Server.HandshakeCount);
        Assert.Single(bench.Failures);
    }

    [Fact]
    public async Task A_slow_key_lookup_delays_no_other_client()
    {
        SlowStore store = new();
        using ServerBench bench = new(store: store);
        BenchClient slow = bench.Connect(1, identity: "slow");
        BenchClient quick = bench.Connect(2);
        Assert.Null(slow.Session);
        Assert.NotNull(quick.Session);
        store.Found.SetResult(ServerBench.Key);
        await Eventually.IsTrueAsync(() => bench.Server.HandshakeCount == 0);
        bench.Carry();
        Assert.NotNull(slow.Session);
    }

    private sealed class SlowStore : ICoapPskStore
    {
        public TaskCompletionSource<ReadOnlyMemory<byte>> Found { get; } = new();

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            identity == "slow" ? new ValueTask<ReadOnlyMemory<byte>>(Found.Task) : new(ServerBench.Key);
    }
}
