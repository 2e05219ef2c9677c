namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Peers with and without extended_master_secret (RFC 7627).</summary>
public sealed class ExtendedMasterSecretTests
{
    [Fact]
    public async Task A_server_that_requires_the_extended_master_secret_refuses_a_client_without_it_with_the_reason()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Server = settings.Server with { RequiresExtendedMasterSecret = true };
        using ClientBench good = new(settings);
        await good.ConnectAsync();
        settings.Client = settings.Client with { OffersExtendedMasterSecret = false };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, failure.Reason);
        Assert.Contains("RequireExtendedMasterSecret", Assert.Single(bench.ServerFailures).End.Why, Ordinal);
        Assert.Equal((0, 0), (bench.Server.SessionCount, bench.Server.HandshakeCount));
    }

    [Fact]
    public async Task A_client_that_requires_the_extended_master_secret_refuses_a_server_without_it()
    {
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { RequiresExtendedMasterSecret = true };
        using ClientBench good = new(settings);
        await good.ConnectAsync();
        settings.Server = settings.Server with { OffersExtendedMasterSecret = false };
        using ClientBench bench = new(settings);
        CoapDtlsException failure = await bench.FailAsync();
        Assert.Equal(CoapDtlsHandshakeFailure.NothingInCommon, failure.Reason);
        Assert.Contains("RFC 7627", failure.Message, Ordinal);
        Assert.Equal(0, bench.Client.SessionCount);
    }

    [Fact]
    public async Task A_session_without_the_extended_master_secret_is_served_and_never_resumed()
    {
        ServerResumptionCache store = new();
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Client = settings.Client with { RetransmitTimeout = FromSeconds(30) };
        settings.Server = settings.Server with { SessionStore = store, RetransmitTimeout = FromSeconds(30) };
        settings.Client = settings.Client with { OffersExtendedMasterSecret = false };
        using ClientBench bench = new(settings);
        DtlsSession session = await bench.ConnectAsync();
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[0]);
        Assert.Equal(0, store.Count);
        await bench.ConnectAsync(2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }
}
