using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Speed.Engines;

/// <summary>A load generator that is a program of its own, and writes its figures as one line of JSON.</summary>
internal static class ExternalLoad
{
    public static LoadFigures Run(string program, ServerProcess server, int connections, int seconds)
    {
        // A server that makes a thread for each needs its time until all are there.
        int warmUp = 1 + (connections / 1000);
        string[] arguments =
        [
            "-c", Text(Processor.Load), "-C", Text(connections), "-w", Text(warmUp), "-d", Text(seconds), "-P", Text(server.Id), "-e",
            Frames.Hello, "-j", $"coap+tcp://{server.Endpoint}/hello",
        ];
        using Process process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })
            ?? throw new InvalidOperationException($"'{program}' did not start.");
        string line = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException($"'{program}' ended with {process.ExitCode}: {line}");
        }

        using JsonDocument document = JsonDocument.Parse(line);
        JsonElement root = document.RootElement;
        JsonElement latency = root.GetProperty("lat_us");
        return new LoadFigures(
            Number(root, "rps"),
            Number(root, "srv_cpu_us_per_req"),
            Number(latency, "p50"),
            Number(latency, "p99"),
            (int)Number(root, "srv_threads"),
            (long)Number(root, "srv_rss_kb") * 1024,
            (long)(Number(root, "errors") + Number(root, "lost") + Number(root, "conn_closed")));
    }

    private static double Number(JsonElement element, string name) => element.GetProperty(name).GetDouble();

    private static string Text(int number) => number.ToString();
}
