using CoAP.NET.Speed.Engines;

namespace CoAP.NET.Speed.SlowSenders;

/// <summary>Clients that send a byte now and then, beside a normal load: what they cost, and what the others notice.</summary>
internal sealed class SlowSenders
{
    private const string Head =
        "| engine | slow senders | threads | KiB for each | others: requests a second | p50 µs | p99 µs | server's µs a request | bytes "
            + "sent by each before the rest | arrived intact |";

    private static readonly byte[] s_request = Frames.Request(CoapCode.Get, "hello", token: 0x0101);
    private static readonly byte[] s_answer = Encoding.UTF8.GetBytes(Frames.Hello);

    public required int Seconds { get; init; }

    public required TimeSpan Interval { get; init; }

    public required int Options { get; init; }

    public required int[] Payloads { get; init; }

    public required int Load { get; init; }

    /// <summary>Measures and prints a table.</summary>
    /// <returns>Whether every slow message arrived as it was sent, and every other request was answered.</returns>
    public bool Run(string[] engines, int[] senders)
    {
        Console.WriteLine($"A byte every {Interval.TotalMilliseconds:0} ms of a PUT with {Options} options and a payload "
                + $"of {string.Join(", ", Payloads)} B in turn; beside it {Load} connections in a closed loop, {Seconds} s.\n");
        Console.WriteLine(Head);
        Console.WriteLine(string.Concat(Head.Where(one => one == '|').Select((_, i) => i == 0 ? "|" : "---|")));
        bool isRight = true;
        foreach (int count in senders.Prepend(0))
        {
            foreach (string engine in engines)
            {
                isRight &= Measure(engine, count);
            }
        }

        return isRight;
    }

    private bool Measure(string engine, int senders)
    {
        // No bound on the time of a frame: how slow they may be is what the server's owner sets; what it costs to let them is asked here.
        using ServerProcess server = ServerProcess.Start(engine, "--frame-timeout", "0");
        using RequestLoop others = new(server.Endpoint, s_request, s_answer);
        others.Open(Load, 0);
        others.Run(1);
        long before = server.Collect().ResidentBytes;
        (byte[][] requests, byte[][] answers) = SlowMessages.Make(Options, Payloads);
        using SlowLoop slow = new(server.Endpoint, requests, answers, Interval);
        slow.Open(senders, 10_000);
        LoadFigures figures = LoadFigures.Of(server, others, Seconds, () => slow.Advance());
        ProcessFigures with = server.Collect();
        slow.Finish();
        bool isRight = slow.Right == senders && figures.Errors == 0;
        Console.WriteLine($"| {engine} | {senders:N0} | {with.Threads} "
                + $"| {(senders < 100 ? "" : ((with.ResidentBytes - before) / 1024.0 / senders).ToString("0.0"))} | {figures.PerSecond:N0} | {figures.P50:0} | {figures.P99:0} | {figures.CpuMicroseconds:0.00} | {slow.BytesSent} | {slow.Right:N0} of {senders:N0}{(figures.Errors > 0 ? $", {figures.Errors} other requests FAILED" : "")} |");
        return isRight;
    }
}
