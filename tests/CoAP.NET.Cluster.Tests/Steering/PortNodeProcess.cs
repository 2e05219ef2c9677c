using System.Diagnostics;
using System.Globalization;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>A <see cref="PortNode"/> as a child process.</summary>
internal sealed class PortNodeProcess : IDisposable
{
    /// <summary>How many devices it knows.</summary>
    public const int Devices = 64;

    private readonly Process _process;

    private PortNodeProcess(Process process, string name) => (_process, Name) = (process, name);

    public string Name { get; }

    public static string DeviceName(int device) => string.Create(CultureInfo.InvariantCulture, $"device-{device}");

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="name">Its name, which it answers with.</param>
    /// <param name="cluster">How it reaches PostgreSQL, the schema there and the secret.</param>
    /// <param name="addresses">Where it listens.</param>
    /// <exception cref="CoapBindException">Somebody else has the port.</exception>
    public static async Task<PortNodeProcess> StartAsync(string name, string[] cluster, string[] addresses)
    {
        Process process = Process.Start(
            new ProcessStartInfo("dotnet", [typeof(PortNode).Assembly.Location, PortNode.Verb, .. cluster, name, .. addresses])
            {
                RedirectStandardInput = true,
                RedirectStandardOutput = true,
            })!;
        string? line = await process.StandardOutput.ReadLineAsync();
        if (line == PortNode.Listening)
        {
            return new PortNodeProcess(process, name);
        }

        process.Kill();
        process.Dispose();
        throw line?.StartsWith(PortNode.Taken, StringComparison.Ordinal) == true
            ? new CoapBindException(line)
            : new InvalidOperationException($"The node {name} did not start; its error stream says why.");
    }

    /// <summary>What it says of itself.</summary>
    public async Task<PortNodeFigures> AskAsync()
    {
        await _process.StandardInput.WriteLineAsync("figures");
        string line = await _process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException($"The node {Name} has ended.");
        int[] numbers = [.. line.Split(' ').Select(static word => int.Parse(word, CultureInfo.InvariantCulture))];
        return new PortNodeFigures(numbers[0], numbers[1], numbers[2]);
    }

    /// <summary>Ends it as <c>kill -9</c> does: nothing is finished, nobody is told.</summary>
    public void Kill()
    {
        _process.Kill();
        _process.WaitForExit();
    }

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            Kill();
        }

        _process.Dispose();
    }
}

/// <summary>What a <see cref="PortNode"/> says of itself.</summary>
/// <param name="Slots">How many slots it has.</param>
/// <param name="Links">With how many nodes it is linked.</param>
/// <param name="Relayed">How many datagrams it has relayed.</param>
internal readonly record struct PortNodeFigures(int Slots, int Links, int Relayed);
