using CoAP.NET.Diagnostics;

namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory for a peer that is known and does nothing.</summary>
internal sealed class PeersRow : IRow
{
    private const double Goal = 1024;

    public string Name => "peers";

    public string About => "bytes of managed heap for a known peer that is idle, and for a newcomer";

    public int Seconds(Sizes sizes) => 3;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        int peers = sizes.Of(100_000, 2_000);
        await using (MemoryServer server = await MemoryServer.StartAsync(new ManualClock(),
            options => options.Limits.Peers.MaxCount = 2 * peers))
        {
            using Lane lane = new();
            long before = await lane.RunAsync(() => Empty(server));
            (double remembered, double idle) = await lane.RunAsync(() =>
            {
                server.Introduce(peers, 4_000);
                double with = (Heap.LiveBytes() - before) / (double)peers;
                server.Clock.Advance(TimeSpan.FromMinutes(5));
                return (with, (Heap.LiveBytes() - before) / (double)peers);
            });
            table.Add($"a peer, with its last exchanges remembered", $"{remembered:0} B");
            table.Add($"a peer whose exchanges have expired", $"{idle:0} B", "<= 1 KiB", idle <= Goal);
            table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
            table.Check(server.Counters[CoapCounter.ChannelEvictions] == 0,
                $"{server.Counters[CoapCounter.ChannelEvictions]} peers were forgotten while they were counted");
            table.CheckFigure(idle is > 0 and < 10 * Goal && remembered > idle, $"{remembered} and {idle} B for a peer cannot be");
        }

        // As many as stand in their table at a time by default.
        int newcomers = sizes.Of(8_000, 2_000);
        await using (MemoryServer server = await MemoryServer.StartAsync(new ManualClock()))
        {
            using Lane lane = new();
            long before = await lane.RunAsync(() => Empty(server));
            (double remembered, double idle) = await lane.RunAsync(() =>
            {
                server.Ask(newcomers, 0, newcomers);
                double with = (Heap.LiveBytes() - before) / (double)newcomers;
                server.Clock.Advance(TimeSpan.FromMinutes(5));
                return (with, (Heap.LiveBytes() - before) / (double)newcomers);
            });
            table.Add($"a newcomer, with its exchange remembered", $"{remembered:0} B");
            table.Add($"a newcomer whose exchange has expired", $"{idle:0} B");
            table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
            table.CheckFigure(idle is > 0 and < 10 * Goal && remembered > idle, $"{remembered} and {idle} B for a newcomer cannot be");
        }
    }

    // What is made at the first request of all is not the peers'.
    private static long Empty(MemoryServer server)
    {
        server.Transport.Ask((1 << 24) - 1, 0);
        server.Clock.Advance(TimeSpan.FromMinutes(5));
        return Heap.LiveBytes();
    }
}
