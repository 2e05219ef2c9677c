using System.Diagnostics;
using System.Net;
using CoAP.NET.Bench;

namespace CoAP.NET.Simulation.Overload;

/// <summary>An <see cref="OverloadServer"/> as a process of its own, kept on a processor of its own.</summary>
internal sealed class OverloadChild : IDisposable
{
    private readonly Process _process;

    private OverloadChild(Process process, IPEndPoint endpoint)
    {
        _process = process;
        Endpoint = endpoint;
    }

    public IPEndPoint Endpoint { get; }

    /// <summary>The processor time it took so far.</summary>
    public TimeSpan Cpu => ProcessFigures.Of(_process.Id).Cpu;

    /// <summary>Starts one and waits until it listens.</summary>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public static OverloadChild Start(int maxRequestsServed)
    {
        ProcessStartInfo start = SimulationProcess.StartInfo([OverloadServer.Verb, "--max", $"{maxRequestsServed}"]);
        start.RedirectStandardInput = true;
        Process process = Processor.Start(Processor.Server, start);
        while (process.StandardOutput.ReadLine() is { } line)
        {
            if (line.StartsWith(OverloadServer.Listening, StringComparison.Ordinal))
            {
                return new OverloadChild(process, IPEndPoint.Parse(line[OverloadServer.Listening.Length..]));
            }
        }

        process.WaitForExit();
        process.Dispose();
        throw new InvalidOperationException("The server did not start.");
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
