using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore;

namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory for a security context of OSCORE that is idle, and bytes allocated for a GET that it protects.</summary>
internal sealed class OscoreRow : IRow
{
    private const double Goal = 1024;
    private const int Clients = 128;

    public string Name => "oscore";

    public string About => "bytes of managed heap for a security context that is idle; bytes allocated for a protected GET";

    public int Seconds(Sizes sizes) => 8;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        await MeasureIdleAsync(table, sizes.Of(100_000, 2_000));
        await MeasureAllocationAsync(table, sizes.Of(100_000, 5_000), sizes.Of(520_000, 5_000));
    }

    private static async Task MeasureIdleAsync(FigureTable table, int devices)
    {
        OscoreContexts contexts = new();
        await using MemoryServer server = await MemoryServer.StartAsync(new ManualClock(), options =>
        {
            options.Limits.Peers.MaxCount = 2 * (devices + 1);
            options.UseOscore(contexts);
        });
        using Lane lane = new();
        long before = await lane.RunAsync(() =>
        {
            // What is made at the first request of all is not the contexts'.
            const int First = (1 << 24) - 1;
            Add(contexts, First);
            server.Transport.Ask(First, 0, new ProtectedPeer(First));
            server.Clock.Advance(TimeSpan.FromMinutes(5));
            return Heap.LiveBytes();
        });
        (double made, double idle) = await lane.RunAsync(() =>
        {
            for (int i = 0; i < devices; i++)
            {
                Add(contexts, i);
            }

            double without = (Heap.LiveBytes() - before) / (double)devices;
            server.Introduce(devices, 4_000, (device, round) => new ProtectedPeer(device, round));

            // What is kept of a protected peer goes in the second round of some four minutes in which it was silent.
            for (int i = 0; i < 3; i++)
            {
                server.Clock.Advance(TimeSpan.FromMinutes(5));
            }

            return (without, (Heap.LiveBytes() - before) / (double)devices);
        });
        table.Add("a security context of which nothing came", $"{made:0} B");
        table.Add("one that is idle, with the peer that used it", $"{idle:0} B", "<= 1 KiB", idle <= Goal);
        table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
        table.Check(server.Counters[CoapCounter.ChannelEvictions] == 0,
            $"{server.Counters[CoapCounter.ChannelEvictions]} peers were forgotten while they were counted");
        table.CheckFigure(made > 0 && idle > made && idle < 10 * Goal, $"{made} and {idle} B for a security context cannot be");
    }

    private static async Task MeasureAllocationAsync(FigureTable table, int count, int lifetime)
    {
        TimeSpan pace = TimeSpan.FromMicroseconds(500);
        OscoreContexts contexts = new();
        for (int i = 0; i < Clients; i++)
        {
            Add(contexts, i);
        }

        ProtectedPeer[] clients = [.. Enumerable.Range(0, Clients).Select(i => new ProtectedPeer(i))];
        await using MemoryServer server = await MemoryServer.StartAsync(new ManualClock(), options =>
        {
            options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero;
            options.UseOscore(contexts);
        });
        using Lane lane = new();
        double each = await lane.RunAsync(() =>
        {
            server.Ask(Clients, 0, lifetime, pace, clients);
            long before = GC.GetAllocatedBytesForCurrentThread();
            server.Ask(Clients, lifetime, count, pace, clients);
            return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)count;
        });
        table.Add("allocated for a protected GET, in all", $"{each:0.0} B a request");
        table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
        table.Check(each is > 0 and < 5000, $"{each} B a request cannot be");
    }

    private static void Add(OscoreContexts contexts, int device)
    {
        using OscoreParameters parameters = ProtectedPeer.ServerParameters(device);
        contexts.Add(OscoreContext.CreateVolatile(parameters));
    }
}
