using System.Net;

namespace CoAP.NET.Footprint.Processes;

/// <summary>A <see cref="Host"/> as a child process, kept on its processor.</summary>
internal sealed class HostProcess : AskedProcess
{
    /// <summary>Starts one and waits until it is ready.</summary>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public HostProcess(params string[] arguments)
        : base(Processor.Start(Processor.Server, OwnProcess.StartInfo([Host.Verb, .. arguments])))
    {
        string address = WaitFor(Host.Listening);
        Endpoint = address.Length == 0 ? null : IPEndPoint.Parse(new Uri(address).Authority);
    }

    /// <summary>Where it listens; null when it is empty.</summary>
    public IPEndPoint? Endpoint { get; }

    /// <summary>The libraries in its memory, as the system names their files. Linux only.</summary>
    public string Libraries => File.ReadAllText($"/proc/{Id}/maps");

    /// <summary>What it says of itself now.</summary>
    public HostFigures Inside() => HostFigures.Parse(Ask(Host.Figures));

    public string Ask(string line) => AskAsync(line).GetAwaiter().GetResult();

    public override void Dispose()
    {
        Process.StandardInput.Close();
        Process.WaitForExit(TimeSpan.FromMinutes(1));
        base.Dispose();
    }
}
