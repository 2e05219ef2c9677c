namespace CoAP.NET.Footprint.Rows;

/// <summary>Bytes allocated for a request.</summary>
internal sealed class AllocationRow : IRow
{
    private const int Peers = 128;
    private const double Goal = 460;

    public string Name => "allocation";

    public string About => "bytes allocated for a GET, one thread, in memory";

    public int Seconds(Sizes sizes) => 6;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        int count = sizes.Of(100_000, 5_000);

        // 2,000 requests a second: after 247 s what is remembered grows no more, and the memory of what was forgotten serves again.
        TimeSpan pace = TimeSpan.FromMicroseconds(500);
        int lifetime = sizes.Of(520_000, 5_000);
        long made = 0;
        CoapResult Count()
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            CoapResult result = MemoryServer.Handler();
            made += GC.GetAllocatedBytesForCurrentThread() - before;
            return result;
        }

        (double served, double handler) = await MeasureAsync(table, Count, lifetime, count, pace, () => made);
        CoapResult ready = MemoryServer.Handler();
        (double prepared, _) = await MeasureAsync(table, () => ready, lifetime, count, pace);

        // All at once: every exchange is remembered in addition to the others.
        (double burst, _) = await MeasureAsync(table, MemoryServer.Handler, count, count, TimeSpan.Zero);

        table.Add("in all, as many exchanges forgotten as remembered", $"{served:0.0} B a request");
        table.Add("of it made while the handler runs (result, text, option)", $"{handler:0.0} B a request");
        double rest = served - handler;
        table.Add("the rest", $"{rest:0.0} B a request", "<= 460 B", rest <= Goal);
        table.Add("in all, with a handler that always returns one result", $"{prepared:0.0} B a request");
        table.Add("in all, while the memory of exchanges grows", $"{burst:0.0} B a request");
        table.Check(handler is > 0 and < 2000 && rest is > 0 and < 5000, $"{handler} and {rest} B a request cannot be");
    }

    private async Task<(double All, double OfHandler)> MeasureAsync(FigureTable table, Func<CoapResult> handler, int warmUp, int count,
        TimeSpan pace, Func<long>? made = null)
    {
        await using MemoryServer server = await MemoryServer.StartAsync(new ManualClock(),
            options => options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero, handler: handler);
        using Lane lane = new();
        (double, double) figures = await lane.RunAsync(() =>
        {
            server.Ask(Peers, 0, warmUp, pace);
            long before = GC.GetAllocatedBytesForCurrentThread();
            long madeBefore = made?.Invoke() ?? 0;
            server.Ask(Peers, warmUp, count, pace);
            long all = GC.GetAllocatedBytesForCurrentThread() - before;
            return (all / (double)count, ((made?.Invoke() ?? 0) - madeBefore) / (double)count);
        });
        table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
        return figures;
    }
}
