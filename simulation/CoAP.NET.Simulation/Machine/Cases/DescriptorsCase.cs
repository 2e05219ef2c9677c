using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>No file descriptor is left: who is connected is served on, who comes waits, what is opened says why it cannot.</summary>
internal sealed class DescriptorsCase(bool isPortable) : MachineCase(
    isPortable ? "descriptors-portable" : "descriptors",
    $"out of file descriptors, {(isPortable ? "portable engines" : "Linux engines")}",
    $"`ulimit -n 256`, all taken while a server runs; {Waiting} TCP connections come, a client and a server are started; then 10 "
        + "descriptors come back, then all")
{
    private const int Waiting = 24;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(2);

    // The runtime ends the process when its thread pool wants one more thread and finds no descriptor for it: here it has all it may have
    // from the start.
    public override IReadOnlyDictionary<string, string?> Variables => PoolThreads.Variables;

    public override string Shell => "ulimit -n 256; exec \"$@\"";

    public override async Task RunAsync(MachineFindings findings)
    {
        await WarmAsync();
        await using MachineServer server = MachineServer.Make(isPortable, "coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        using RawPeer udp = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer tcp = RawPeer.Tcp();
        tcp.Connect(server.EndPointOf("coap+tcp"));
        findings.Check(udp.Ask("hi", s_limit) && tcp.Ask("hi", s_limit), "served before");
        await using CoapClient client = new(MachineServer.Options(new LogCounts(), isPortable));
        await client.GetAsync(server.UriOf("coap") + "/hi");
        RawPeer[] waiting = [.. Enumerable.Range(0, Waiting).Select(_ => RawPeer.Tcp())];

        Stack<int> taken = MachineLibC.TakeDescriptors();
        Array.ForEach(waiting, peer => peer.Connect(server.EndPointOf("coap+tcp")));
        await ProcessorUse.CheckAsync(findings, TimeSpan.FromSeconds(1));
        findings.Check(udp.Ask("hi", s_limit) && tcp.Ask("hi", s_limit), "UDP and the open connection are answered");
        findings.Check((await client.GetAsync(server.UriOf("coap") + "/hi").WaitAsync(s_limit)).GetText() == "hi", "an open client too");
        await RefusesAsync(findings, "a new client", async () =>
        {
            await using CoapClient late = new(MachineServer.Options(new LogCounts(), isPortable));
            await late.GetAsync(server.UriOf("coap") + "/hi");
        });
        await RefusesAsync(findings, "a new connection", () => client.GetAsync(server.UriOf("coap+tcp") + "/hi"));
        await RefusesAsync(findings, "a second server", async () =>
        {
            await using MachineServer late = MachineServer.Make(isPortable, "coap://127.0.0.1:0");
            await late.StartAsync();
        });

        // The last ones are for the runtime, whose thread pool ends the process when it finds none for a thread.
        MachineLibC.GiveBack(taken, 10);
        await Task.Delay(TimeSpan.FromSeconds(1), TimeProvider.System);
        int refused = waiting.Count(peer => peer.Socket.Poll(TimeSpan.Zero, SelectMode.SelectRead)
            && peer.Receive(TimeSpan.Zero) is null);
        findings.Check(refused > 0, $"with 10 descriptors, {refused} that wait are refused, a tenth of a second apart, and none is taken");
        findings.Check(await RunsWorkAsync(), "the thread pool gets its threads");
        Watch freed = new();
        MachineLibC.GiveBack(taken, int.MaxValue);
        findings.Check(waiting.Count(peer => peer.Ask("hi", s_limit)) == Waiting - refused,
            "all others are served once there are some");
        findings.RecoveryMs = freed.Elapsed.TotalMilliseconds;
        findings.Check((await client.GetAsync(server.UriOf("coap+tcp") + "/hi").WaitAsync(s_limit)).GetText() == "hi",
            "a new connection works");
        findings.Check(server.Counters[CoapCounter.AcceptFailures] > 0, "counted");
        findings.Check(server.Log.Of(1021) == 1 && server.Log.Warnings <= 1, $"told once, not each time ({server.Log.Warnings} warnings)");
        findings.Count(server.Counters, CoapCounter.AcceptFailures, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
        Array.ForEach(waiting, peer => peer.Dispose());
    }

    private static async Task<bool> RunsWorkAsync()
    {
        using CountdownEvent both = new(2);
        foreach (int _ in Enumerable.Range(0, 2))
        {
#pragma warning disable RS0030 // the pool is what is asked
            ThreadPool.UnsafeQueueUserWorkItem(_ => both.Signal(), null);
#pragma warning restore RS0030
        }

        await Task.Yield();
        return both.Wait(s_limit);
    }

    /// <summary>Everything once, so that no assembly is looked for when there is no descriptor to open it.</summary>
    private async Task WarmAsync()
    {
        await using MachineServer server = MachineServer.Make(isPortable, "coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new(MachineServer.Options(new LogCounts(), isPortable));
        await client.GetAsync(server.UriOf("coap") + "/hi");
        await client.GetAsync(server.UriOf("coap+tcp") + "/hi");
        MachineFindings nobody = new();
        await RefusesAsync(nobody, "nobody", () => client.GetAsync("coap+tcp://127.0.0.1:1/hi"));
        await RefusesAsync(nobody, "taken", async () =>
        {
            await using MachineServer second = MachineServer.Make(isPortable, server.UriOf("coap"));
            await second.StartAsync();
        });
        await ProcessorUse.WhileIdleAsync(TimeSpan.FromMilliseconds(10));
        await PoolThreads.FillAsync();
    }

    private static async Task RefusesAsync(MachineFindings findings, string what, Func<Task> tries)
    {
        try
        {
            await tries().WaitAsync(s_limit);
            findings.Failures.Add($"{what} is not refused");
        }
        // Which one it is, is the question.
        catch (Exception exception)
        {
            findings.Check(
                exception is CoapException && exception.Message.Contains("raise the limit"),
                $"{what}: {exception.GetType().Name}, which says what to do{(exception is CoapException ? "" : ": " + exception.Message)}");
            if (!exception.Message.Contains("raise the limit"))
            {
                findings.Saw(exception.Message);
            }
        }
    }
}
