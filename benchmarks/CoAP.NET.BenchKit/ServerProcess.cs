using System.Diagnostics;
using System.Net;

namespace CoAP.NET.Bench;

/// <summary>A <see cref="BenchServer"/> as a child process, kept on its processor.</summary>
internal sealed class ServerProcess : IDisposable
{
    private const string Listening = "listening on ";

    private readonly Process _process;

    private ServerProcess(Process process, IPEndPoint endpoint)
    {
        _process = process;
        Endpoint = endpoint;
    }

    public IPEndPoint Endpoint { get; }

    public int Id => _process.Id;

    public ProcessFigures Figures => ProcessFigures.Of(Id);

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="engine"><c>inline</c>, <c>async</c> or <c>blocking</c>.</param>
    /// <param name="arguments">More arguments.</param>
    /// <exception cref="InvalidOperationException">It ended before it listened; what it said is on the error stream.</exception>
    public static ServerProcess Start(string engine, params string[] arguments)
    {
        string program = Environment.ProcessPath!;
        List<string> all = [BenchServer.Verb, "--engine", engine, .. arguments];
        if (Path.GetFileNameWithoutExtension(program) == "dotnet")
        {
            all.Insert(0, System.Reflection.Assembly.GetEntryAssembly()!.Location);
        }

        ProcessStartInfo start = new(program, all) { RedirectStandardOutput = true, RedirectStandardInput = true };
        byte[] before = Processor.Pin(Processor.Server);
        Process process;
        try
        {
            process = Process.Start(start)!;
        }
        finally
        {
            Processor.Restore(before);
        }

        string? line;
        while ((line = process.StandardOutput.ReadLine()) is not null)
        {
            if (line.StartsWith(Listening, StringComparison.Ordinal))
            {
                Uri uri = new(line[Listening.Length..]);
                return new ServerProcess(process, new IPEndPoint(IPAddress.Parse(uri.Host), uri.Port));
            }
        }

        process.WaitForExit();
        process.Dispose();
        throw new InvalidOperationException($"The server with the engine {engine} did not start.");
    }

    /// <summary>Has it collect garbage, and says what is left of its memory.</summary>
    public ProcessFigures Collect()
    {
        using RequestLoop loop = new(Endpoint, Frames.Request(CoapCode.Post, "collect"), []);
        loop.Open(1, 1_000_000);
        loop.Run(0);
        return Figures;
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.WaitForExit();
        _process.Dispose();
    }
}
