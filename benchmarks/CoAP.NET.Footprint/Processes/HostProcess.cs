using System.Diagnostics;
using System.Net;

namespace CoAP.NET.Footprint.Processes;

/// <summary>A <see cref="Host"/> as a child process, kept on its processor.</summary>
internal sealed class HostProcess : IDisposable
{
    private readonly Process _process;

    private HostProcess(Process process, string address)
    {
        _process = process;
        Endpoint = address.Length == 0 ? null : IPEndPoint.Parse(new Uri(address).Authority);
    }

    /// <summary>Where it listens; null when it is empty.</summary>
    public IPEndPoint? Endpoint { get; }

    public ProcessFigures Outside => ProcessFigures.Of(_process.Id);

    /// <summary>Starts one and waits until it is ready.</summary>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public static HostProcess Start(params string[] arguments)
    {
        Process process = Processor.Start(Processor.Server, OwnProcess.StartInfo([Host.Verb, .. arguments]));
        string? line = process.StandardOutput.ReadLine();
        if (line?.StartsWith(Host.Listening, StringComparison.Ordinal) == true)
        {
            return new HostProcess(process, line[Host.Listening.Length..]);
        }

        process.WaitForExit();
        process.Dispose();
        throw new InvalidOperationException($"The process '{string.Join(' ', arguments)}' did not start.");
    }

    /// <summary>The libraries in its memory, as the system names their files. Linux only.</summary>
    public string Libraries => File.ReadAllText($"/proc/{_process.Id}/maps");

    /// <summary>What it says of itself now.</summary>
    public HostFigures Inside() => HostFigures.Parse(Command(Host.Figures));

    /// <summary>Gives it a line, and takes the one that it says.</summary>
    public string Command(string line)
    {
        _process.StandardInput.WriteLine(line);
        return _process.StandardOutput.ReadLine() ?? throw new InvalidOperationException("The process has ended.");
    }

    /// <summary>Has it make garbage from now on.</summary>
    public void Allocate(long bytesPerSecond) => _process.StandardInput.WriteLine($"{Host.Allocate}{bytesPerSecond}");

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(TimeSpan.FromMinutes(1)))
        {
            _process.Kill();
            _process.WaitForExit();
        }

        _process.Dispose();
    }
}
