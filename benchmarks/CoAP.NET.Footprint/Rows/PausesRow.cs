namespace CoAP.NET.Footprint.Rows;

/// <summary>Garbage collections of a server under a steady load.</summary>
internal sealed class PausesRow : IRow
{
    private const int Peers = 256;
    private const int Rate = 20_000;
    private static readonly TimeSpan s_goal = TimeSpan.FromMilliseconds(10);

    public string Name => "pauses";

    public string About => "garbage collections of a server under 20,000 requests a second from 256 peers";

    public int Seconds(Sizes sizes) => Time(sizes) + 2;

    public Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        if (!OperatingSystem.IsLinux())
        {
            table.AddUnjudged("longest pause", $"-", "<= 10 ms", "Linux only");
            return Task.CompletedTask;
        }

        TimeSpan time = sizes.IsSelfCheck ? TimeSpan.FromMilliseconds(500) : TimeSpan.FromSeconds(Time(sizes));
        int rate = sizes.Of(Rate, 2_000);
        using HostProcess server = new(Host.Server);
        using UdpLoad load = new(server.Endpoint!, Peers);
        byte[] before = Processor.Pin(Processor.Load);
        load.RunOpen(time, rate);
        Processor.Restore(before);
        HostFigures figures = server.Inside();
        long total = load.Answers + load.Refused + load.Lost;
        table.Add($"{rate:N0} requests a second for {time.TotalSeconds:0.#} s: answered, refused, lost",
            $"{load.Answers:N0}, {load.Refused:N0}, {load.Lost:N0}");
        table.Add("collections of generation 0, 1, 2",
            $"{figures.Collections[0] - figures.Collections[1]}, {figures.Collections[1] - figures.Collections[2]}, {figures.Collections[2]}");
        table.Add("all threads held, in all", $"{figures.TotalPause.TotalMilliseconds:0.0} ms");
        table.Add("longest pause", $"{figures.LongestPause.TotalMilliseconds:0.00} ms", "<= 10 ms", figures.LongestPause <= s_goal);
        table.Add("time to an answer from when the request was due: p50, p99, longest",
            $"{load.Times.Microseconds(0.5):N0} µs, {load.Times.Microseconds(0.99):N0} µs, {load.Longest.TotalMilliseconds:0.0} ms");
        table.Check(load.Wrong == 0 && load.Answers + load.Refused > 0,
            $"{load.Answers} right answers, {load.Wrong} wrong ones {load.FirstWrong}");
        table.CheckFigure(load.Answers >= total * 0.99, $"{load.Answers} of {total} requests were answered");
        table.Check(figures.TotalPause >= figures.LongestPause,
            $"pauses of {figures.TotalPause} in all, the longest of {figures.LongestPause}");
        return Task.CompletedTask;
    }

    private static int Time(Sizes sizes) => sizes.Seconds ?? 60;
}
