using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;
using CoAP.NET.Bench;
using CoAP.NET.Survival.Balancing;

namespace CoAP.NET.Survival.Nodes;

/// <summary>A <see cref="Node"/> as a child process.</summary>
internal sealed class NodeProcess : IDisposable
{
    /// <summary>
    /// Code is compiled twice and not three times, as by a profile: on two processors that serve everybody the compiler took a fifth of all
    /// time while nodes were replaced.
    /// </summary>
    public static readonly (string Name, string Value) WithoutProfile = ("DOTNET_TieredPGO", "0");

    private readonly Process _process;
    private TimeSpan _cpu;

    private NodeProcess(Process process, string name, string line)
    {
        _process = process;
        string[] words = line[Node.Listening.Length..].Split(' ');
        Backend = new Backend(name, EndpointOf(words[0]));
        Health = words[1];
        Start = TimeSpan.FromMilliseconds(double.Parse(words[2], CultureInfo.InvariantCulture));
    }

    public Backend Backend { get; }

    public string Name => Backend.Name;

    /// <summary>Where it answers without security whether it is ready.</summary>
    public string Health { get; }

    /// <summary>How long its server took to start: with all sessions of the store, where it has the slots.</summary>
    public TimeSpan Start { get; }

    /// <summary>The processor time it took, be it in its life.</summary>
    public TimeSpan Cpu => _process.HasExited ? _cpu : _cpu = ProcessFigures.Of(_process.Id).Cpu;

    /// <summary>Whether it has ended.</summary>
    public bool HasEnded => _process.HasExited;

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="arguments">More of its command line.</param>
    /// <exception cref="InvalidOperationException">It ended before; what it said is on the error stream.</exception>
    public static async Task<NodeProcess> StartAsync(string name, IEnumerable<string> arguments) =>
        await TryStartAsync(name, arguments, Timeout.InfiniteTimeSpan)
        ?? throw new InvalidOperationException($"The node {name} did not start.");

    /// <summary>Starts one that may not get as far as to listen.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="arguments">More of its command line.</param>
    /// <param name="patience">For how long it is waited.</param>
    /// <returns>The process; null if it ended, or did not listen in this time and was killed.</returns>
    public static async Task<NodeProcess?> TryStartAsync(string name, IEnumerable<string> arguments, TimeSpan patience)
    {
        Process process = OwnProcess.Start([Node.Verb, "--name", name, .. arguments], WithoutProfile);
        string? line = null;
        try
        {
            line = await process.StandardOutput.ReadLineAsync().WaitAsync(patience, TimeProvider.System);
        }
        catch (TimeoutException)
        {
            ProcessSignal.Kill(process);
        }

        if (line?.StartsWith(Node.Listening, StringComparison.Ordinal) == true)
        {
            return new NodeProcess(process, name, line);
        }

        await process.WaitForExitAsync();
        process.Dispose();
        return null;
    }

    /// <summary>What it says of itself.</summary>
    /// <param name="isCollected">Whether it collects all garbage before.</param>
    public async Task<NodeFigures> AskAsync(bool isCollected = false)
    {
        await _process.StandardInput.WriteLineAsync(isCollected ? Node.Collected : Node.Figures);
        string line = await _process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException($"The node {Name} has ended.");
        return JsonSerializer.Deserialize<NodeFigures>(line)!;
    }

    /// <summary>Has it send a message under each OSCORE context whose slot it has.</summary>
    /// <param name="port">Where to.</param>
    /// <returns>How many messages were sent.</returns>
    public async Task<int> SendProtectedAsync(int port)
    {
        await _process.StandardInput.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{Node.Protected}{port}"));
        string line = await _process.StandardOutput.ReadLineAsync() ?? throw new InvalidOperationException($"The node {Name} has ended.");
        return int.Parse(line, CultureInfo.InvariantCulture);
    }

    /// <summary>Has the state change that devices observe.</summary>
    /// <param name="phase">What it is from now on.</param>
    public async Task ChangeAsync(int phase)
    {
        await _process.StandardInput.WriteLineAsync(string.Create(CultureInfo.InvariantCulture, $"{Node.Phase} {phase}"));
        await _process.StandardOutput.ReadLineAsync();
    }

    /// <summary>Ends it as <c>kill -9</c> does.</summary>
    public void KillNow()
    {
        _ = Cpu;
        if (!_process.HasExited)
        {
            ProcessSignal.Kill(_process);
        }

        _process.WaitForExit();
    }

    /// <summary>Has it stand still, as a virtual machine that is paused.</summary>
    public void Sleep() => ProcessSignal.Freeze(_process);

    /// <summary>Has it go on.</summary>
    public void WakeUp() => ProcessSignal.Thaw(_process);

    /// <summary>Ends it as a service manager does, and waits.</summary>
    public async Task StopAsync()
    {
        _ = Cpu;
        await _process.StandardInput.WriteLineAsync(Node.Stop);
        await _process.WaitForExitAsync();
    }

    /// <summary>Waits until it has ended by itself.</summary>
    /// <param name="patience">For how long.</param>
    /// <returns>Whether it has.</returns>
    public async Task<bool> HasEndedAsync(TimeSpan patience)
    {
        _ = Cpu;
        await _process.WaitForExitAsync().WaitAsync(patience, TimeProvider.System).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return _process.HasExited;
    }

    public void Dispose()
    {
        KillNow();
        _process.Dispose();
    }

    private static IPEndPoint EndpointOf(string uri) => IPEndPoint.Parse(new Uri(uri).Authority);
}
