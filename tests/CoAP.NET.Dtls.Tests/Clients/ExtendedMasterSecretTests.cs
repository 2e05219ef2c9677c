namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Peers with and without extended_master_secret (RFC 7627).</summary>
public sealed class ExtendedMasterSecretTests
{
    // SSL_OP_NO_EXTENDED_MASTER_SECRET, from OpenSSL 3.0 on.
    private const ulong Without = 1;

    [Fact]
    public async Task A_server_that_requires_it_refuses_a_client_without_and_says_so()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Server = settings.Server with { RequiresExtendedMasterSecret = true };
        using ClientBench good = new(settings);
        await good.ConnectAsync();
        if (!CanBeWithout())
        {
            return;
        }

        settings.ClientOptions = Without;
        using ClientBench bench = new(settings);
        CoapDtlsHandshakeException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, failure.Reason);
        Assert.Contains("RequireExtendedMasterSecret", Assert.Single(bench.ServerFailures).End.Why, Ordinal);
        Assert.Equal((0, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Fact]
    public async Task A_client_that_requires_it_refuses_a_server_without()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { RequiresExtendedMasterSecret = true };
        using ClientBench good = new(settings);
        await good.ConnectAsync();
        if (!CanBeWithout())
        {
            return;
        }

        settings.ServerOptions = Without;
        using ClientBench bench = new(settings);
        CoapDtlsHandshakeException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, failure.Reason);
        Assert.Contains("RFC 7627", failure.Message, Ordinal);
        Assert.Equal(0, bench.Client.SessionCount);
    }

    [Fact]
    public async Task A_session_without_it_is_served_and_never_resumed()
    {
        if (!CanBeWithout())
        {
            return;
        }

        CoapDtlsSessionMemory store = new();
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { RetransmitTimeout = FromSeconds(30) };
        settings.Server = settings.Server with { SessionStore = store, RetransmitTimeout = FromSeconds(30) };
        settings.ClientOptions = Without;
        using ClientBench bench = new(settings);
        DtlsSession session = await bench.ConnectAsync();
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[0]);
        Assert.Equal(0, store.Count);
        await bench.ConnectAsync(2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    private static bool CanBeWithout() => CoapDtls.OpenSslVersion?.Contains("1.1.1", Ordinal) == false;
}
