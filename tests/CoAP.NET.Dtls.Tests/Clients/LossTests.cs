namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Handshakes over a path that loses, reorders and doubles datagrams, and that others write to.</summary>
public sealed class LossTests
{
    // Both ends, with certificates: ClientHello twice, HelloVerifyRequest, two flights, and the last one.
    private const int MostDatagrams = 7;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.4-1")]
    public async Task A_handshake_completes_whichever_datagram_is_lost(bool isMutual)
    {
        for (int lost = 1; lost <= MostDatagrams; lost++)
        {
            using ClientBench bench = Bench(isMutual);
            bench.Loses = (number, _, _) => number == lost;
            await ConnectsAsync(bench);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("6347-4.2.3-1")]
    public async Task A_handshake_completes_when_datagrams_are_reordered(bool isMutual)
    {
        using ClientBench bench = Bench(isMutual);
        bench.Reverses = true;
        await ConnectsAsync(bench);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Duplicated_datagrams_do_not_affect_a_handshake(bool isMutual)
    {
        using ClientBench bench = Bench(isMutual);
        bench.Loses = (_, toServer, bytes) =>
        {
            if (!toServer)
            {
                bench.Client.Receive(ClientBench.Incoming(), [.. bytes]);
            }

            return false;
        };
        await ConnectsAsync(bench);
    }

    // GnuTLS forgets a client after some seconds of lost flights, and then asks for a cookie again.
    [Fact]
    [Rfc("6347-4.2.1-1")]
    public async Task A_client_starts_another_handshake_with_a_server_that_forgot_the_handshake()
    {
        // Small datagrams, so that the ServerHello arrives and the rest of its flight does not.
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Server = settings.Server with { Mtu = 256, PskIdentityHint = new string('h', 128) };
        using ClientBench bench = new(settings);
        int ofServer = 0;
        bench.Loses = (_, toServer, _) => !toServer && ++ofServer > 2;
        Task<DtlsSession> task = bench.BeginAsync();
        Assert.InRange(ofServer, 3, 10);

        bench.RestartServer();
        bench.Loses = null;
        bench.Clock.Advance(FromSeconds(1));
        await bench.DriveAsync(() => task.IsCompleted);
        Assert.NotNull(await task);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Forged_unprotected_records_do_not_end_a_handshake(bool isMutual)
    {
        using ClientBench bench = Bench(isMutual);
        int forged = 0;
        bench.Loses = (_, toServer, _) =>
        {
            for (int alert = 0; !toServer && alert < 256; alert++, forged++)
            {
                // A fatal alert, with numbers from low to the highest there is.
                byte[] record = Convert.FromHexString($"15fefd0000{(alert == 255 ? 0xffffffffffff : alert):x12}000202{alert:x2}");
                bench.Client.Receive(ClientBench.Incoming(), record);
                bench.Carry();
            }

            if (!toServer)
            {
                // Messages that no server sends, some data, an encrypted record, and an empty change of keys with the highest number.
                foreach (string hex in (string[])["16fefd0000ffffffffffff000cff0000000000000000000000", "16fefd0000fffffffffffe0001ff",
                    "17fefd0000ffffffffffff000101",
                    "16fefd000100000000000000200102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20",
                    "14fefd0000ffffffffffff000101"])
                {
                    bench.Client.Receive(ClientBench.Incoming(), Convert.FromHexString(hex));
                    forged++;
                }
            }

            return false;
        };
        await ConnectsAsync(bench);
        Assert.True(forged > 256);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Forged_HelloVerifyRequests_do_not_end_a_handshake(int before)
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        int ofServer = 0;
        bench.Loses = (_, toServer, _) =>
        {
            if (!toServer && ++ofServer == before)
            {
                bench.Client.Receive(ClientBench.Incoming(),
                    Convert.FromHexString("16fefd0000ffffffffffff0013030000070000000000000007feff04deadbeef"));
            }

            return false;
        };
        Task<DtlsSession> task = bench.BeginAsync();
        bench.Clock.Advance(FromSeconds(1));
        await bench.DriveAsync(() => task.IsCompleted);
        Assert.NotNull(await task);
    }

    [Fact]
    public async Task An_unprotected_alert_ends_the_handshake_when_no_other_message_follows_for_a_while()
    {
        using ClientBench bench = new(BenchSettings.OfPsk()) { Loses = (_, _, _) => true };
        Task<DtlsSession> task = bench.BeginAsync();
        bench.Client.Receive(ClientBench.Incoming(),
            Convert.FromHexString("15fefd0000000000000000000202") is var record ? [.. record, 0x50] : []);
        bench.Clock.Advance(FromMilliseconds(99));
        bench.Client.Tick();
        Assert.False(task.IsCompleted);
        bench.Clock.Advance(FromMilliseconds(1));
        bench.Client.Tick();
        CoapDtlsException failure = await Assert.ThrowsAsync<CoapDtlsException>(() => task);
        Assert.Equal(CoapDtlsHandshakeFailure.Refused, failure.Reason);
        Assert.Contains("internal_error (80)", failure.Message, Ordinal);
    }

    [Fact]
    public async Task A_flood_during_a_handshake_is_bounded_and_harmless()
    {
        List<Action> works = [];
        BenchSettings settings = BenchSettings.OfPsk();
        settings.Run = (_, work) => works.Add(work);
        using ClientBench bench = new(settings);
        Task<DtlsSession> task = bench.BeginAsync();
        int taken = 0;
        for (int i = 0; i < 1_000; i++)
        {
            taken += bench.Client.Receive(ClientBench.Incoming(), Convert.FromHexString("15fefd000000000000000000020228")) ? 1 : 0;
        }

        Assert.Equal((16, 1), (taken, works.Count));
        await bench.DriveAsync(() =>
        {
            Action[] now = [.. works];
            works.Clear();
            foreach (Action work in now)
            {
                work();
            }

            return task.IsCompleted;
        });
        Assert.NotNull(await task);
    }

    private static ClientBench Bench(bool isMutual)
    {
        if (!isMutual)
        {
            return new ClientBench(BenchSettings.OfPsk());
        }

        return CertificateTests.MutualBench();
    }

    private static async Task ConnectsAsync(ClientBench bench)
    {
        DtlsSession session = await bench.ConnectAsync(serverName: "device.example");
        bench.Loses = null;
        await bench.DriveAsync(() => bench.Server.SessionCount == 1);
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[^1]);
    }
}
