using System.Diagnostics;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>
/// The process is stopped for some seconds, as a machine that is suspended, and meets signals: it goes on where it was, without a burst.
/// </summary>
internal sealed class PauseCase() : MachineCase(
    "pause",
    "process stopped and continued; system calls interrupted by signals",
    "SIGSTOP for 4 s (13 times ACK_TIMEOUT) while a notification waits for its acknowledgement; then 300 signals while it serves")
{
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(3);

    public override async Task RunAsync(MachineFindings findings)
    {
        await using MachineServer server = MachineServer.Make(false, "coap://127.0.0.1:0");
        await server.StartAsync();
        using RawPeer observer = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer other = RawPeer.Udp(server.EndPointOf("coap"));
        observer.Send("n", observes: true);
        findings.Check(observer.Receive(s_limit) is not null, "observed");
        server.Change();
        int pid = Environment.ProcessId;
        using Process stop = Sh($"kill -STOP {pid}; sleep 4; kill -CONT {pid}");
        await stop.WaitForExitAsync();
        Watch from = new();
        findings.Check(other.Ask("hi", s_limit), "served at once afterwards");
        findings.RecoveryMs = from.Elapsed.TotalMilliseconds;
        int copies = 0;
        while (observer.Receive(TimeSpan.FromMilliseconds(150)) is not null)
        {
            copies++;
        }

        findings.Check(copies <= 3, $"{copies} copies of the notification in all, no burst");
        using Process signals = Sh($"for i in $(seq 100); do kill -WINCH {pid}; kill -CONT {pid}; kill -CHLD {pid}; done");
        int answered = 0;
        int asked = 0;
        while (!signals.HasExited || asked < 100)
        {
            asked++;
            answered += other.Ask("hi", s_limit) ? 1 : 0;
        }

        findings.Check(answered == asked, $"{answered:N0} of {asked:N0} answered among the signals");
        findings.Check(server.Log.Warnings == 0, "nothing to tell");
        findings.Count(server.Counters, CoapCounter.Retransmissions, CoapCounter.StageErrors);
    }

    private static Process Sh(string commands)
    {
        ProcessStartInfo info = new("/bin/sh");
        info.ArgumentList.Add("-c");
        info.ArgumentList.Add(commands);
        return Process.Start(info)!;
    }
}
