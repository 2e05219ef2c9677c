namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory of a server process under load, above a process that makes the same garbage.</summary>
internal sealed class MemoryRow : IRow
{
    private const int Peers = 128;
    private const double MiB = 1 << 20;
    private const double SmallGoal = 24;
    private const double DefaultGoal = 64;
    private const double IdleGoal = 10;

    // What a server that speaks plain coap must not load: OpenSSL alone takes 5 MiB.
    private static readonly string[] s_unneeded = ["libcrypto", "System.Net.Security.dll", "System.Net.Http.dll"];

    public string Name => "memory";

    public string About => "resident memory of a server under 128 endpoints, above an empty host";

    public int Seconds(Sizes sizes) => 4 * (Time(sizes) + 2);

    public Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        if (!OperatingSystem.IsLinux())
        {
            table.AddUnjudged("resident memory", $"-", "<= 24 MiB", "Linux only");
            return Task.CompletedTask;
        }

        TimeSpan time = sizes.IsSelfCheck ? TimeSpan.FromMilliseconds(300) : TimeSpan.FromSeconds(Time(sizes));
        Measure(table, time, "defaults", DefaultGoal, []);
        Measure(table, time, "Deduplication.Memory of 8 MiB and Peers.NewcomerMemory of 1 MiB", SmallGoal, [Host.Small]);
        return Task.CompletedTask;
    }

    // A peer must not use a Message ID twice within the time of the run.
    private static int Time(Sizes sizes) => Math.Min(60, sizes.Seconds ?? 10);

    private static void Measure(FigureTable table, TimeSpan time, string how, double goal, string[] arguments)
    {
        long idle;
        long loaded;
        double rate;
        double allocated;
        HostFigures serverInside;
        using (HostProcess server = new([Host.Server, .. arguments]))
        using (UdpLoad load = new(server.Endpoint!, Peers))
        {
            idle = server.Figures.ResidentBytes;
            string libraries = server.Libraries;
            table.Check(!s_unneeded.Any(libraries.Contains), $"the server loaded one of {string.Join(", ", s_unneeded)}");
            long before = server.Inside().Allocated;
            byte[] processors = Processor.Pin(Processor.Load);
            load.RunClosed(time);
            Processor.Restore(processors);
            loaded = server.Figures.ResidentBytes;
            serverInside = server.Inside();
            allocated = (serverInside.Allocated - before) / time.TotalSeconds;
            rate = load.Answers / time.TotalSeconds;
            table.Check(load.Wrong == 0 && load.Answers + load.Refused > 0,
                $"{load.Answers} right answers, {load.Wrong} wrong ones {load.FirstWrong}");
            table.CheckFigure(load.Lost + load.Refused <= load.Answers / 1000,
                $"{load.Lost} requests were lost, {load.Refused} refused");
        }

        long emptyIdle;
        long empty;
        HostFigures emptyInside;
        using (HostProcess host = new(Host.Empty))
        {
            emptyIdle = host.Figures.ResidentBytes;
            long before = host.Inside().Allocated;
            host.ReportAsync($"{Host.Allocate}{(long)allocated}").GetAwaiter().GetResult();
            using ManualResetEventSlim never = new();
            never.Wait(time);
            empty = host.Figures.ResidentBytes;
            emptyInside = host.Inside();
            double same = (emptyInside.Allocated - before) / time.TotalSeconds;
            table.CheckFigure(same > allocated / 2,
                $"the empty host allocated {same:N0} B a second, the server {allocated:N0}");
        }

        double above = (loaded - empty) / MiB;
        double aboveIdle = (idle - emptyIdle) / MiB;
        table.Add($"server, {how}: idle", $"{idle / MiB:0.0} MiB");
        table.Add($"server, {how}: idle, above an empty process", $"{aboveIdle:0.0} MiB", $"<= {IdleGoal:0} MiB", aboveIdle <= IdleGoal);
        table.Add($"server, {how}: after {time.TotalSeconds:0.#} s of {rate:N0} requests a second", $"{loaded / MiB:0.0} MiB");
        table.Add($"empty host that allocates the same {allocated / 1e6:N0} MB a second", $"{empty / MiB:0.0} MiB");
        table.Add($"server, {how}: above the empty host", $"{above:0.0} MiB", $"<= {goal:0} MiB", above <= goal);
        table.Add("managed memory that the collector holds: server, empty host",
            $"{serverInside.Committed / MiB:0.0} MiB, {emptyInside.Committed / MiB:0.0} MiB");
        table.Add("of it objects after the last collection: server, empty host",
            $"{serverInside.Live / MiB:0.0} MiB, {emptyInside.Live / MiB:0.0} MiB");
        table.CheckFigure(above is > 0 and < 2000, $"{above} MiB for the server cannot be");
    }
}
