using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

/// <summary>
/// Large bodies in virtual time. What they cost is counted in steps of the clock, and not measured.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class BulkTransferTests
{
    private const int Size = 2 << 20;
    private const int Blocks = Size / 1024;

    private static readonly byte[] s_body = MakeBody();

    [Theory]
    [InlineData(0, 4)]
    [InlineData(5, 2 * Blocks + 500)]
    [InlineData(20, 2 * Blocks + 2_000)]
    public async Task A_2_MiB_transfer_takes_a_bounded_number_of_clock_steps(int delay, int steps)
    {
        await using CoapEndpointPair pair = Make(FromMilliseconds(delay), loss: 0);
        await pair.StartAsync();
        Assert.Equal(s_body, (await pair.RunAsync(() => pair.Client.GetAsync(CoapEndpointPair.Address + "/x"))).Payload.ToArray());

        // The timer of measured retransmissions is due up to 16 times per second.
        // A round trip for each block, and one to show the address by an Echo.
        Assert.Equal(2L * delay * (Blocks + 1), (long)pair.Clock.Elapsed.TotalMilliseconds);
        Assert.InRange(pair.Clock.Steps, 1, steps);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task The_same_seed_gives_the_same_trace_when_datagrams_are_lost()
    {
        string[] traces = new string[2];
        for (int i = 0; i < traces.Length; i++)
        {
            await using CoapEndpointPair pair = Make(FromMilliseconds(5), loss: 0.05);
            await pair.StartAsync();
            Assert.Equal(s_body,
                (await pair.RunAsync(() => pair.Client.GetAsync(CoapEndpointPair.Address + "/x"), FromHours(3))).Payload
                    .ToArray());
            traces[i] = $"{pair.Clock.Elapsed} {pair.Network.PrintTrace(100_000)}";
        }

        Assert.Equal(traces[0], traces[1]);
    }

    [Fact]
    public async Task Code_that_awaits_on_pool_threads_between_requests_never_sees_the_clock_advance()
    {
        await using CoapEndpointPair pair = Make(FromMilliseconds(5), loss: 0);
        await pair.StartAsync();
        TimeSpan[] seen = await pair.RunAsync(async () =>
        {
            List<TimeSpan> times = [];
            for (int i = 0; i < 200; i++)
            {
                await pair.Client.GetAsync(CoapEndpointPair.Address + "/small");
                TimeSpan before = pair.Clock.Elapsed;
                await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
                Thread.SpinWait(10_000);
                Assert.Equal(before, pair.Clock.Elapsed);
                times.Add(before);
            }

            return times.ToArray();
        });
        Assert.Equal(Enumerable.Range(1, 200).Select(static i => FromMilliseconds(10 * i)), seen);
    }

    private static CoapEndpointPair Make(TimeSpan delay, double loss)
    {
        CoapEndpointPair pair = new(
            network: new InMemoryNetworkOptions { Conditions = new NetworkConditions { MinDelay = delay, MaxDelay = delay, Loss = loss } });
        pair.Server.MapGet("/x", () => CoapResults.Bytes(s_body));
        pair.Server.MapGet("/small", () => "x");
        return pair;
    }

    private static byte[] MakeBody()
    {
        byte[] body = new byte[Size];
        new Random(1).NextBytes(body);
        return body;
    }
}
