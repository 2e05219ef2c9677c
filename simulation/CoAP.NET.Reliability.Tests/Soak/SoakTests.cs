using System.Runtime.CompilerServices;
using CoAP.NET.Errors;
using CoAP.NET.Simulation.Soak;

namespace CoAP.NET.Reliability.Tests.Soak;

/// <summary>A soak of a moment, with all that is looked at in a long one. It looks at the whole process, so it runs alone.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SoakTests
{
    private static readonly SoakSettings s_short = SoakSettings.For(TimeSpan.FromSeconds(0.6)) with
    {
        Rate = 300,
        DatagramClients = 6,
        StreamClients = 2,
        AckTimeout = TimeSpan.FromMilliseconds(50),
        Patience = TimeSpan.FromMilliseconds(500),
        ResidentSlack = 1L << 30,
    };

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static async Task<WeakReference> AskAndCloseAsync(string uri)
    {
        await using CoapClient client = new();
        await client.GetAsync(uri);
        return new WeakReference(client.Endpoint);
    }

    [Fact]
    public async Task A_soak_run_with_loss_leaks_nothing_loses_nothing_and_logs_no_error()
    {
        SoakResult result = await SoakRun.RunAsync(s_short, TextWriter.Null, CancellationToken.None);

        // How many requests time out, and whether they are sent before, says something where the machine answers sooner than they are given
        // up, as in a campaign, and how many threads there are where they get a processor. Here it may be busy with other tests.
        Assert.DoesNotContain(
            SoakChecks.Of(result),
            failure => !failure.Contains(" time-outs of ")
                && !failure.EndsWith($"time-out, {CoapTimeoutReason.NotSent}", StringComparison.Ordinal)
                && !failure.StartsWith("threads grew", StringComparison.Ordinal));
        Assert.InRange(result.Ledger.Begun, 1, (long)(s_short.Rate * s_short.Duration.TotalSeconds));
        Assert.Equal(result.Ledger.Begun, result.Ledger.Ends.Values.Sum());
        Assert.True(result.DatagramsLost > 0);
    }

    [Fact]
    [External]
    public async Task Planted_leaks_and_errors_are_found_by_the_soak_checks()
    {
        SoakResult result = await SoakRun.RunAsync(s_short with { Plant = SoakCampaign.Plants }, TextWriter.Null, CancellationToken.None);
        IReadOnlyList<string> found = SoakChecks.Of(result);
        foreach (string says in new[]
        {
            "the heap grew", "lost exchange", "unobserved exception", "descriptors grew", "logged: Error: planted"
        })
        {
            Assert.Contains(found, failure => failure.StartsWith(says, StringComparison.Ordinal));
        }
    }

    [Fact]
    public async Task Closed_clients_are_not_referenced_by_the_shared_loop()
    {
        await using CoapServer server = new();
        server.MapGet("/x", () => "x");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        string uri = $"{server.LocalEndpoints[0]}x";
        await using CoapClient stays = new();
        await stays.GetAsync(uri);
        List<WeakReference> closed = [];
        for (int i = 0; i < 20; i++)
        {
            closed.Add(await AskAndCloseAsync(uri));
        }

        // One may still be in the hands of the loop, as the last that it served.
        await stays.GetAsync(uri);
        await Eventually.IsTrueAsync(() =>
        {
            GC.Collect();
            return closed.Count(one => one.IsAlive) <= 1;
        });
    }

    [Fact]
    public void The_slope_is_computed_by_least_squares()
    {
        SoakSample[] samples = [.. Enumerable.Range(0, 5)
            .Select(i => new SoakSample(TimeSpan.FromMinutes(30 * i), 1000 + (10 * i), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))];
        Assert.Equal(20, SoakChecks.SlopePerHour(samples, sample => sample.Heap), 6);
        Assert.Equal(0, SoakChecks.SlopePerHour(samples, sample => sample.Resident), 6);
    }
}
