namespace CoAP.NET.Footprint.Rows;

/// <summary>Bytes allocated for a request.</summary>
internal sealed class AllocationRow : IRow
{
    private const int Peers = 128;
    private const double Goal = 400;

    public string Name => "allocation";

    public string About => "bytes allocated for a GET, one thread, in memory";

    public int Seconds(Sizes sizes) => 6;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        int count = sizes.Of(100_000, 5_000);
        using Lane lane = new();
        double handler = await lane.RunAsync(() => OfHandler(count));

        // 2,000 requests a second: after 247 s what is remembered grows no more, and the memory of what was forgotten serves again.
        TimeSpan pace = TimeSpan.FromMicroseconds(500);
        int lifetime = sizes.Of(520_000, 5_000);
        await using MemoryServer steady = await MemoryServer.StartAsync(new HeldClock(), options => options.Limits.NewcomerPeriod = TimeSpan.Zero);
        using Lane steadyLane = new();
        double served = await steadyLane.RunAsync(() => Of(steady, lifetime, count, pace));

        // All at once: every exchange is remembered in addition to the others.
        await using MemoryServer growing = await MemoryServer.StartAsync(new HeldClock(), options => options.Limits.NewcomerPeriod = TimeSpan.Zero);
        using Lane growingLane = new();
        double burst = await growingLane.RunAsync(() => Of(growing, count, count, TimeSpan.Zero));

        table.Begin(Name);
        table.Add("in all, as many remembered as forgotten", $"{served:0.0} B a request");
        table.Add("of it made by the handler (result, text, option)", $"{handler:0.0} B a request");
        double rest = served - handler;
        table.Add("the rest", $"{rest:0.0} B a request", "<= 400 B", rest <= Goal);
        table.Add("in all, while the memory of exchanges grows", $"{burst:0.0} B a request");
        table.Check(steady.Errors + growing.Errors == 0, $"{steady.Errors + growing.Errors} requests were not answered rightly");
        table.Check(handler is > 0 and < 2000 && rest is > 0 and < 5000, $"{handler} and {rest} B a request cannot be");
    }

    private static double OfHandler(int count)
    {
        Func<CoapResult> handler = MemoryServer.Handler;
        long before = 0;
        for (int i = -count; i < count; i++)
        {
            if (i == 0)
            {
                before = GC.GetAllocatedBytesForCurrentThread();
            }

            GC.KeepAlive(handler());
        }

        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)count;
    }

    private static double Of(MemoryServer server, int warmUp, int count, TimeSpan pace)
    {
        server.Ask(Peers, 0, warmUp, pace);
        long before = GC.GetAllocatedBytesForCurrentThread();
        server.Ask(Peers, warmUp, count, pace);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)count;
    }
}
