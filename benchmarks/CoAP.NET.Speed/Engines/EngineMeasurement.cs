namespace CoAP.NET.Speed.Engines;

/// <summary>Measures engines under load and prints a table.</summary>
/// <param name="seconds">How long each figure is measured.</param>
/// <param name="generator">The path of a load generator for connections that stay; empty for the built-in one.</param>
internal sealed class EngineMeasurement(int seconds, string generator)
{
    private const string Head =
        "| engine | connections | requests a second | server's µs a request | p50 µs | p99 µs | threads | RSS, MiB | KiB a connection, "
            + "idle | short connections a second | server's µs for one |";

    // What a handful of connections takes is lost in what a process takes more or less for other reasons.
    private const int FewConnections = 100;

    private static readonly byte[] s_request = Frames.Request(CoapCode.Get, "hello", token: 0x0101);
    private static readonly byte[] s_answer = Encoding.UTF8.GetBytes(Frames.Hello);

    public void Run(string[] engines, int[] connections)
    {
        Processors.Pin(Processors.Other);
        Console.WriteLine(Head);
        Console.WriteLine(string.Concat(Head.Where(one => one == '|').Select((_, i) => i == 0 ? "|" : "---|")));
        foreach (int count in connections)
        {
            foreach (string engine in engines)
            {
                Console.WriteLine(Measure(engine, count));
            }
        }
    }

    private string Measure(string engine, int connections)
    {
        using ServerProcess server = ServerProcess.Start(engine);
        long atRest = Warm(server);
        LoadFigures stay;
        double perConnection;
        using (RequestLoop loop = new(server.Endpoint, s_request, s_answer))
        {
            loop.Open(connections, 0);
            ProcessFigures idle = server.Collect();
            perConnection = (idle.ResidentBytes - atRest) / 1024.0 / connections;
            stay = generator.Length == 0 ? LoadFigures.Of(server, loop, seconds) : default;
        }

        if (generator.Length > 0)
        {
            stay = ExternalLoad.Run(generator, server, connections, seconds);
        }

        (double perSecond, double cost) = Short(server, connections);
        return $"| {engine} | {connections:N0} | {stay.PerSecond:N0} | {stay.CpuMicroseconds:0.00} | {stay.P50:0} | {stay.P99:0} "
                + $"| {stay.Threads} | {stay.ResidentBytes / 1048576.0:0} "
                + $"| {(connections < FewConnections ? "" : perConnection.ToString("0.0"))} | {perSecond:N0} "
                + $"| {cost:0.0} |{(stay.Errors > 0 ? $" {stay.Errors} ERRORS" : "")}";
    }

    // What a server takes before its first request, and once for all, belongs to no connection.
    private static long Warm(ServerProcess server)
    {
        using (RequestLoop loop = new(server.Endpoint, s_request, s_answer))
        {
            loop.Open(4, 900_000);
            loop.Run(1);
        }

        return server.Collect().ResidentBytes;
    }

    private (double PerSecond, double CpuMicroseconds) Short(ServerProcess server, int connections)
    {
        using ShortLoop loop = new(server.Endpoint, s_request, s_answer);
        loop.Start(connections);
        loop.Run(Math.Min(1, seconds));
        TimeSpan before = server.Figures.Cpu;
        (long answered, TimeSpan elapsed) = loop.Run(seconds);
        TimeSpan cpu = server.Figures.Cpu - before;
        if (loop.Errors + loop.Lost > 0)
        {
            Console.Error.WriteLine(
                $"note: of the short connections {loop.Lost} were closed by the server, {loop.Errors} had a wrong answer");
        }

        return (answered / elapsed.TotalSeconds, cpu.TotalMicroseconds / Math.Max(1, answered));
    }
}
