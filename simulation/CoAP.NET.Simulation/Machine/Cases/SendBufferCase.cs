using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>The queue of the interface is full: the kernel refuses to send (ENOBUFS), and retransmission heals.</summary>
internal sealed class SendBufferCase(bool isPortable) : NetworkCase(
    isPortable ? "send-refused-portable" : "send-refused",
    $"the kernel refuses to send (ENOBUFS), {(isPortable ? "portable engine" : "Linux engine")}",
    $"the server's link takes 400 kbit/s and queues 3 kB (tbf); {Flood} requests for 1 kB come at once, without confirmation, "
        + $"beside {Requests} confirmable ones")
{
    private const int Requests = 20;
    private const int Flood = 400;

    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        here.Shell("tc qdisc add dev v0 root tbf rate 400kbit burst 1600 limit 3000");
        await using MachineServer server = MachineServer.Make(isPortable, "coap://10.9.0.1:5683");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, "coap://10.9.0.1/hi", isPortable);
        using RawPeer flood = there.Do(() => RawPeer.Udp(new IPEndPoint(IPAddress.Parse("10.9.0.1"), 5683)));
        for (int i = 0; i < Flood; i++)
        {
            flood.Send("big", confirmable: false);
        }

        Watch from = new();
        string[] answers = await Task.WhenAll(Enumerable.Range(0, Requests).Select(_ => AskAsync(client, "coap://10.9.0.1/hi")));
        findings.RecoveryMs = from.Elapsed.TotalMilliseconds;
        findings.Check(answers.All(answer => answer == "hi"),
            $"{answers.Count(answer => answer == "hi")} of {Requests} confirmable requests are answered");
        await ProcessorUse.CheckAsync(findings, TimeSpan.FromMilliseconds(300));
        if (isPortable)
        {
            findings.Saw("the kernel tells only who asks for errors (IP_RECVERR), which the portable engine does not: nothing to count");
        }
        else
        {
            findings.Check(server.Counters[CoapCounter.SendErrors] > 0, "refused datagrams are counted");
            findings.Check(server.Log.Of(1009) == 1, $"told once ({server.Log.Warnings} warnings)");
        }

        findings.Check(server.Log.Warnings <= 1, "no flood of log");
        findings.Count(server.Counters, CoapCounter.SendErrors, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }
}
