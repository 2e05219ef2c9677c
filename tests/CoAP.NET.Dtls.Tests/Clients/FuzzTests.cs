namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Handshakes over a path that changes what goes over it.</summary>
public sealed class FuzzTests
{
    [Theory]
    [InlineData(false, 150)]
    [InlineData(true, 40)]
    public async Task Mutated_datagrams_lead_to_a_session_or_to_a_failure_with_a_reason(bool hasCertificates, int rounds)
    {
        VirtualRandom random = new(hasCertificates ? 5UL : 3UL);
        int sessions = 0;
        int failures = 0;
        for (int round = 0; round < rounds; round++)
        {
            using ClientBench bench = hasCertificates ? CertificateTests.MutualBench() : new ClientBench(BenchSettings.OfPsk());
            bench.Loses = (_, _, bytes) =>
            {
                Span<byte> dice = stackalloc byte[4];
                random.Fill(dice);
                if (dice[0] < 48)
                {
                    bytes[((dice[1] << 8) | dice[2]) % bytes.Length] ^= dice[3];
                }

                return false;
            };
            Task<DtlsSession> task = bench.BeginAsync(serverName: "device.example");
            bench.Clock.Advance(FromSeconds(30));
            bench.Client.Tick();
            try
            {
                DtlsSession session = await task;
                sessions++;
                Assert.True(session.Send([1]));
            }
            catch (CoapDtlsException exception)
            {
                failures++;
                Assert.NotEmpty(exception.Message);
            }

            Assert.Equal(0, bench.Client.HandshakeCount);
        }

        Assert.True(sessions > 0 && failures > 0);
    }
}
