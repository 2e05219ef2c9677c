using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>An interface goes down and comes back: requests wait for it, connections and observations outlive it.</summary>
internal sealed class LinkDownCase(bool isPortable) : NetworkCase(
    isPortable ? "link-down-portable" : "link-down",
    $"network interface down and up, {(isPortable ? "portable engines" : "Linux engines")}",
    "the server's interface is set down for 1.5 s while it is asked over UDP and TCP and observed; then the client's")
{
    private static readonly TimeSpan s_down = TimeSpan.FromSeconds(1.5);

    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        await using MachineServer server = MachineServer.Make(isPortable, "coap://10.9.0.1:5683", "coap://[::]:5700",
            "coap+tcp://10.9.0.1:5683");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, "coap://10.9.0.1/hi", isPortable);
        there.Wait(() => client.GetAsync("coap+tcp://10.9.0.1/hi"));
        CoapObservation observation = await client.ObserveAsync(new CoapRequest(CoapMethod.Get, "coap://10.9.0.1/n"));
        await BreakAsync(findings, here, "v0", "the server's", client, server, observation);
        await BreakAsync(findings, there, "v1", "the client's", client, server, observation);
        findings.Check(server.Log.Warnings <= 3 && client.Endpoint.Counters[CoapCounter.StageErrors] == 0,
            $"no flood of log ({server.Log.Warnings} warnings)");
        findings.Count(server.Counters, CoapCounter.SendErrors, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }

    private static async Task BreakAsync(MachineFindings findings, NetworkSpace space, string name, string whose, CoapClient client,
        MachineServer server, CoapObservation observation)
    {
        space.Shell($"ip link set {name} down");
        Task<string>[] asked = [AskAsync(client, "coap://10.9.0.1/hi"), AskAsync(client, "coap://10.9.0.1:5700/hi"),
            AskAsync(client, "coap+tcp://10.9.0.1/hi")];
        string state = server.Change();
        await ProcessorUse.CheckAsync(findings, s_down);
        space.Shell($"ip link set {name} up");
        long up = TimeProvider.System.GetTimestamp();
        string[] answers = await Task.WhenAll(asked);
        findings.Check(answers.All(answer => answer == "hi"),
            $"{whose}: bound to the address, to any address, and TCP: {string.Join(", ", answers)}");
        findings.Check(await BecomesAsync(() => observation.Latest?.GetText() == state), $"the observer has the state of meanwhile");
        findings.RecoveryMs = Math.Max(findings.RecoveryMs ?? 0, TimeProvider.System.GetElapsedTime(up).TotalMilliseconds);
    }
}
