using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>
/// The system gives no more threads: a handler that blocks holds up its loop until it returns, which is told once; then all goes on.
/// </summary>
internal sealed class ThreadsCase() : MachineCase(
    "threads",
    "no more threads",
    "RLIMIT_NPROC, all threads taken; a handler blocks for 1 s, others are asked meanwhile and afterwards")
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(2);

    public override string Shell => "exec setpriv --reuid=54321 --regid=54321 --clear-groups prlimit --nproc=60 -- \"$@\"";

    public override IReadOnlyDictionary<string, string?> Variables => new Dictionary<string, string?> { ["HOME"] = "/nowhere" };

    public override async Task RunAsync(MachineFindings findings)
    {
        await using MachineServer server = MachineServer.Make(false, "coap://127.0.0.1:0");
        using ManualResetEventSlim blocks = new();
        server.Server.MapGet("/slow", () =>
        {
            blocks.Wait(TimeSpan.FromSeconds(1));
            return "slow";
        });
        await server.StartAsync();
        using RawPeer slow = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer other = RawPeer.Udp(server.EndPointOf("coap"));
        findings.Check(other.Ask("hi", s_limit), "served before");
        using ManualResetEventSlim end = new();
        List<Thread> taken = [];
        bool isFull = false;
        while (!isFull && taken.Count < 1000)
        {
            Thread thread = new(() => end.Wait()) { IsBackground = true };
            try
            {
                thread.Start();
                taken.Add(thread);
            }
            catch (Exception exception) when (exception is OutOfMemoryException or ThreadStartException)
            {
                isFull = true;
            }
        }

        if (!isFull)
        {
            end.Set();
            findings.Skipped = "the system gives threads without end, whatever ulimit -u says";
            return;
        }

        slow.Send("slow");
        bool meanwhile = other.Ask("hi", TimeSpan.FromMilliseconds(200));
        findings.Saw(meanwhile ? "a stand-by thread was there already: others are answered" : "others wait while the handler blocks");
        Watch from = new();
        findings.Check(slow.Receive(s_limit) is not null, "the slow one is answered");
        findings.Check(other.Ask("hi", s_limit), "afterwards others are");
        findings.RecoveryMs = from.Elapsed.TotalMilliseconds;
        MachineServer second = MachineServer.Make(false, "coap://127.0.0.1:0");
        string error = "starts";
        try
        {
            await second.StartAsync();
        }
        catch (CoapException exception)
        {
            error = $"{exception.GetType().Name}: {exception.Message}";
        }

        end.Set();
        await second.DisposeAsync();
        findings.Check(error.Contains("thread") || error == "starts", $"a second server: {error}");
        findings.Check(server.Log.Warnings <= 1, $"told once ({server.Log.Warnings} warnings)");
        findings.Count(server.Counters, CoapCounter.HandOvers, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }
}
