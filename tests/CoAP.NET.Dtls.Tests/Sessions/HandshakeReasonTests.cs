namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>What the server knows of a handshake that failed: who the client claimed to be, and why it failed.</summary>
public sealed class HandshakeReasonTests
{
    private static readonly byte[] s_wrong = "wrong"u8.ToArray();

    [Theory]
    [InlineData("user", HandshakeFault.WrongKey, "The key of the client does not fit")]
    [InlineData("nobody", HandshakeFault.UnknownIdentity, "The key store does not know the identity.")]
    public void Only_the_server_distinguishes_a_wrong_key_from_an_unknown_identity(string identity, object fault, string why)
    {
        using ServerBench bench = new();
        BenchClient client = bench.Connect(1, identity, s_wrong);
        Assert.Equal(HandshakeStatus.Running, client.Handshake.Status);

        bench.Clock.Advance(FromSeconds(30));
        bench.Server.Tick();

        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal((identity, (HandshakeFault)fault), (failure.Identity, failure.End.Fault));
        failure.End.Why.Begins(why);
        Assert.Equal(HandshakeStatus.Running, client.Handshake.Status);
    }

    [Fact]
    public void An_unknown_identity_is_reported_at_once_and_only_once()
    {
        using ServerBench bench = new();

        bench.Connect(1, "nobody");

        Assert.Equal(("nobody", HandshakeFault.UnknownIdentity), (bench.Failures[0].Identity, bench.Failures[0].End.Fault));
        Assert.Empty(bench.WrongProofs);
        bench.Clock.Advance(FromSeconds(30));
        bench.Server.Tick();
        Assert.Single(bench.Failures);
        Assert.Equal(1, bench.Server.Counters.HandshakesFailed);
    }

    [Fact]
    public void A_wrong_key_is_told_at_once_and_reported_at_the_end_of_the_handshake()
    {
        using ServerBench bench = new();

        bench.Connect(1, key: s_wrong);

        Assert.Equal("user", Assert.Single(bench.WrongProofs));
        End(bench);
        Assert.Equal(HandshakeFault.WrongKey, Assert.Single(bench.Failures).End.Fault);
        Assert.Single(bench.WrongProofs);
    }

    [Fact]
    public void The_failure_reason_is_kept_when_the_client_starts_again()
    {
        using ServerBench bench = new();
        bench.Connect(1, key: s_wrong);

        Assert.NotNull(bench.Connect(1).Session);

        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal(("user", HandshakeFault.WrongKey), (failure.Identity, failure.End.Fault));
    }

    [Fact]
    public void The_failure_reason_distinguishes_a_silent_client_from_a_client_with_a_wrong_key()
    {
        using ServerBench bench = new();
        int sent = 0;
        bench.LosesOfServer = _ => ++sent >= 2;
        bench.Connect(1);

        End(bench);

        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal((null, HandshakeFault.TimedOut), (failure.Identity, failure.End.Fault));
    }

    [Fact]
    public void The_failure_reason_names_a_key_store_that_is_too_slow()
    {
        using ServerBench bench = new(store: new Store(() => new TaskCompletionSource<ReadOnlyMemory<byte>>().Task));
        bench.Connect(1);

        End(bench);

        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal(("user", HandshakeFault.TimedOut, "The key store did not answer in time."),
            (failure.Identity, failure.End.Fault, failure.End.Why));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void The_failure_reason_names_a_key_store_that_throws_with_its_exception(bool isLater)
    {
        InvalidOperationException down = new("database is down");
        using ServerBench bench = new(store: new Store(() => isLater ? Task.FromException<ReadOnlyMemory<byte>>(down) : throw down));

        bench.Connect(1);

        FailedClientHandshake failure = Assert.Single(bench.Failures);
        Assert.Equal(("user", HandshakeFault.CallbackFailed), (failure.Identity, failure.End.Fault));
        Assert.Same(down, failure.End.Exception!.InnerException);
        Assert.Equal("CoapDtlsServerOptions.PskStore threw InvalidOperationException: database is down", failure.End.Why);
    }

    private static void End(ServerBench bench)
    {
        Assert.Empty(bench.Failures);
        bench.Clock.Advance(FromSeconds(30));
        bench.Server.Tick();
    }

    private sealed class Store(Func<Task<ReadOnlyMemory<byte>>> find) : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => new(find());
    }
}
