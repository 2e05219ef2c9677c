using CoAP.NET.Speed.Engines;

namespace CoAP.NET.Speed.Broadcast;

/// <summary>Measures a chat with each engine and prints a table.</summary>
internal sealed class BroadcastMeasurement
{
    private const string Head =
        "| engine | clients | messages a second | delivered a second | p50 ms | p95 ms | p99 ms | longest ms | server's processors "
            + "| server's µs for one delivered | heap, MiB | RSS, MiB | threads | the load's processors | missing |";

    private const double Mebibyte = 1 << 20;

    /// <summary>How long each is measured, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>The seconds between two messages of one client; null: the next message leaves as soon as all have the last.</summary>
    public required int? Every { get; init; }

    /// <summary>The bytes of a message.</summary>
    public required int Payload { get; init; }

    /// <summary>Measures and prints a table.</summary>
    /// <returns>Whether all clients of each server got messages.</returns>
    public bool Run(string[] engines, int[] clients)
    {
        Console.WriteLine(Every is { } every
            ? $"Each client sends a message of {Payload} bytes every {every} s, and all get it; {Seconds:0.##} s.\n"
            : $"Messages of {Payload} bytes, each as soon as all clients have the one before; {Seconds:0.##} s.\n");
        Console.WriteLine(Head);
        Console.WriteLine(string.Concat(Head.Where(one => one == '|').Select((_, i) => i == 0 ? "|" : "---|")));
        bool isRight = true;
        foreach (int count in clients)
        {
            foreach (string engine in engines)
            {
                try
                {
                    isRight &= Measure(engine, count);
                }
                catch (TimeoutException exception)
                {
                    isRight = false;
                    Console.WriteLine($"| {engine} | {count:N0} | failed: {exception.Message} |");
                }
            }
        }

        return isRight;
    }

    private bool Measure(string engine, int clients)
    {
        const double WarmUp = 1;
        using ServerProcess server = ServerProcess.Start(engine);
        using BroadcastLoop loop = new(server.Endpoint, Payload);
        loop.Open(clients, 0);
        loop.Register();
        RunFor(Math.Min(WarmUp, Seconds));
        BroadcastResult result = RunFor(Seconds);
        ProcessFigures figures = server.Figures;
        double seconds = result.Elapsed.TotalSeconds;
        LatencyHistogram times = result.Times;
        Console.WriteLine($"| {engine} | {clients:N0} | {result.Sent / seconds:0.#} | {result.Delivered / seconds:N0} "
            + $"| {Milliseconds(0.5)} | {Milliseconds(0.95)} | {Milliseconds(0.99)} | {Milliseconds(1)} "
            + $"| {result.Cpu / result.Elapsed:0.00} | {result.Cpu.TotalMicroseconds / Math.Max(1, result.Delivered):0.00} "
            + $"| {server.HeapBytes() / Mebibyte:0.0} | {figures.ResidentBytes / Mebibyte:0} | {figures.Threads} "
            + $"| {result.OwnCpu / result.Elapsed:0.00} | {result.Missing:N0} |");
        return result.Delivered > 0 && loop.Lost == 0;

        BroadcastResult RunFor(double time) => Every is { } every
            ? loop.RunAtRate(time, clients / (double)every, () => server.Figures.Cpu)
            : loop.RunClosed(time, () => server.Figures.Cpu);

        string Milliseconds(double part) => (times.Microseconds(part) / 1000).ToString("0.00");
    }
}
