namespace CoAP.NET.Simulation.Hogs;

/// <summary>
/// A server with default options, a hundred clients of a cheap resource and a hundred of a hog, all in one process; nothing is pinned to a
/// processor.
/// </summary>
internal static class HogRun
{
    /// <summary>How many clients of each kind.</summary>
    public const int Clients = 100;

    private static readonly TimeSpan s_alone = TimeSpan.FromSeconds(1.5);
    private static readonly TimeSpan s_together = TimeSpan.FromSeconds(4);

    /// <summary>Runs a case.</summary>
    /// <param name="hogCase">The case.</param>
    /// <param name="rounds">How often the cheap ones are measured alone and together.</param>
    /// <param name="seed">Where the handlers' times come from.</param>
    /// <param name="trusts">Plants a defect: the loops that receive trust the handlers, so no stand-by takes over.</param>
    /// <param name="cancellationToken">Ends it after the round.</param>
    public static async Task<HogResult> RunAsync(HogCase hogCase, int rounds, ulong seed, bool trusts, CancellationToken cancellationToken)
    {
        CoapEndpointOptions options = new();
        if (trusts)
        {
            // The watch over slow handlers would move them elsewhere; nobody watches a block.
            options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new PassingBlock<CoapExchange>(Hog));
        }

        await using CoapServer server = new(options);
        int number = 0;
        server.MapGet("/cheap", () => "cheap");
        hogCase.Map(server,
            () => TimeSpan.FromMilliseconds(20 + new Dice(seed + (ulong)Interlocked.Increment(ref number)).Below(31)));
        if (trusts)
        {
            server.Endpoint.AddTransport(
                new CoapUdpTransport(new CoapUdpTransportOptions
                {
                    Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) },
                    IsServer = true,
                    HandOverAfter = Timeout.InfiniteTimeSpan
                }));
        }
        else
        {
            server.Listen($"{hogCase.Scheme}://127.0.0.1:0");
        }

        await server.StartAsync(cancellationToken);
        await using HogClients cheap = new(Clients, server.LocalEndpoints[0] + "cheap");
        await using HogClients hogs = new(Clients, server.LocalEndpoints[0].Resolve(HogCase.Path).ToString());

        HogResult result = new();
        cheap.Start();
        await WaitAsync(s_alone);
        for (int i = 0; i < rounds && !cancellationToken.IsCancellationRequested; i++)
        {
            (long done, double seconds) = await MeasureAsync(cheap, s_alone);
            result.Alone += done;
            result.AloneSeconds += seconds;
            cheap.TakeTimes();
            hogs.Start();
            long hogsBefore = hogs.Done;
            (done, seconds) = await MeasureAsync(cheap, s_together);
            result.Together += done;
            result.TogetherSeconds += seconds;
            result.Hogs += hogs.Done - hogsBefore;
            (double median, double percentile99, double worst) = cheap.TakeTimes();
            result.Median = Math.Max(result.Median, median);
            result.Percentile99 = Math.Max(result.Percentile99, percentile99);
            result.Worst = Math.Max(result.Worst, worst);
            await hogs.StopAsync();
            result.HogPercentile99 = Math.Max(result.HogPercentile99, hogs.TakeTimes().Percentile99);
        }

        await cheap.StopAsync();
        result.Wrong.AddRange(cheap.Wrong.Concat(hogs.Wrong));
        return result;
    }

    // The planted defect: it does, on the thread that receives, what belongs into a handler.
    private static void Hog(CoapExchange exchange)
    {
        if (exchange.Request.Path == HogCase.Path)
        {
            HogWork.Burn(TimeSpan.FromMilliseconds(35));
        }
    }

    private static async Task<(long Done, double Seconds)> MeasureAsync(HogClients clients, TimeSpan time)
    {
        long before = clients.Done;
        Watch start = new();
        await WaitAsync(time);
        return (clients.Done - before, start.Elapsed.TotalSeconds);
    }

    // On a thread of its own: what runs on the thread pool may be late by as much as hogs keep it.
    private static async Task WaitAsync(TimeSpan time)
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Thread thread = new(() =>
        {
            using ManualResetEvent never = new(false);
            never.WaitOne(time);
            done.SetResult();
        });
        thread.Start();
        await done.Task;
    }
}
