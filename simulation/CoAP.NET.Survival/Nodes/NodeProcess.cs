using System.Diagnostics;
using System.Text.Json;

namespace CoAP.NET.Survival.Nodes;

/// <summary>A <see cref="Node"/> as a child process.</summary>
internal sealed class NodeProcess : AskedProcess
{
    /// <summary>
    /// Code is compiled twice and not three times, as by a profile: on two processors that serve everybody the compiler took a fifth of all
    /// time while nodes were replaced.
    /// </summary>
    public static readonly (string Name, string Value) WithoutProfile = ("DOTNET_TieredPGO", "0");

    private TimeSpan _cpu;

    private NodeProcess(Process process, string name, string line)
        : base(process)
    {
        string[] words = line[Node.Listening.Length..].Split(' ');
        Backend = new Backend(name, EndpointOf(words[0]));
        Health = words[1];
        Start = TimeSpan.FromMilliseconds(double.Parse(words[2]));
    }

    public Backend Backend { get; }

    public string Name => Backend.Name;

    /// <summary>Where it answers without security whether it is ready.</summary>
    public string Health { get; }

    /// <summary>How long its server took to start: with all sessions of the store, where it has the slots.</summary>
    public TimeSpan Start { get; }

    /// <summary>The processor time it took, be it in its life.</summary>
    public TimeSpan Cpu => Process.HasExited ? _cpu : _cpu = Figures.Cpu;

    /// <summary>Whether it has ended.</summary>
    public bool HasEnded => Process.HasExited;

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
    public async Task<NodeFigures> AskAsync(bool isCollected = false) =>
        JsonSerializer.Deserialize<NodeFigures>(await AskAsync(isCollected ? Node.Collected : Node.Figures))!;

    /// <summary>Has it send a message under each OSCORE context whose slot it has.</summary>
    /// <param name="port">Where to.</param>
    /// <returns>How many messages were sent.</returns>
    public async Task<int> SendProtectedAsync(int port) => int.Parse(await AskAsync($"{Node.Protected}{port}"));

    /// <summary>Has the state change that devices observe.</summary>
    /// <param name="phase">What it is from now on.</param>
    public async Task ChangeAsync(int phase)
    {
        await ReportAsync($"{Node.Phase} {phase}");
        await Process.StandardOutput.ReadLineAsync();
    }

    /// <summary>Ends it as <c>kill -9</c> does.</summary>
    public void KillNow()
    {
        _ = Cpu;
        if (!Process.HasExited)
        {
            ProcessSignal.Kill(Process);
        }

        Process.WaitForExit();
    }

    /// <summary>Has it stand still, as a virtual machine that is paused.</summary>
    public void Sleep() => ProcessSignal.Freeze(Process);

    /// <summary>Has it go on.</summary>
    public void WakeUp() => ProcessSignal.Thaw(Process);

    /// <summary>Ends it as a service manager does, and waits.</summary>
    public async Task StopAsync()
    {
        _ = Cpu;
        await ReportAsync(Node.Stop);
        await Process.WaitForExitAsync();
    }

    /// <summary>Waits until it has ended by itself.</summary>
    /// <param name="patience">For how long.</param>
    /// <returns>Whether it has.</returns>
    public async Task<bool> HasEndedAsync(TimeSpan patience)
    {
        _ = Cpu;
        await Process.WaitForExitAsync().WaitAsync(patience, TimeProvider.System).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return Process.HasExited;
    }

    public override void Dispose()
    {
        KillNow();
        base.Dispose();
    }

    private static IPEndPoint EndpointOf(string uri) => IPEndPoint.Parse(new Uri(uri).Authority);
}

/// <summary>What a node says of itself.</summary>
/// <param name="Id">Which node of the cluster it is; zeros without one.</param>
/// <param name="Sessions">How many sessions it has.</param>
/// <param name="Live">Bytes of objects on its heap, after a collection of everything.</param>
/// <param name="Slots">How many slots of the cluster it has.</param>
/// <param name="Relays">Datagrams that were relayed: those that it sent to other nodes, and answers that came back to it.</param>
internal sealed record NodeFigures(Guid Id, int Sessions, long Live, int Slots, long Relays);
