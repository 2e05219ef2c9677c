using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>The client's address changes for good: the next request leaves from the new one, over UDP and TCP.</summary>
internal sealed class ClientMovesCase() : NetworkCase(
    "client-moves",
    "the client's address changes",
    "a client with an open connection and an observation gets another address, the old one is gone (KeepAliveInterval and PongTimeout "
        + "1 s)")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.2", "10.9.0.1");
        await using MachineServer server = MachineServer.Make(false, "coap+tcp://[::]:5683");
        await using MachineServer datagrams = MachineServer.Make(false, "coap://[::]:5683");
        there.Wait(server.StartAsync);
        there.Wait(datagrams.StartAsync);
        LogCounts log = new();
        CoapEndpointOptions options = MachineServer.Options(log);
        options.Transports.Streams.KeepAliveInterval = TimeSpan.FromSeconds(1);
        options.Transports.Streams.PongTimeout = TimeSpan.FromSeconds(1);
        await using CoapClient client = new(options);
        await client.GetAsync("coap+tcp://10.9.0.1/hi");
        CoapObservation observation = await client.ObserveAsync(new CoapRequest(CoapMethod.Get, "coap+tcp://10.9.0.1/n"));
        findings.Check((await AskAsync(client, "coap://10.9.0.1/hi")) == "hi", "asked before");
        here.Shell("ip addr del 10.9.0.2/24 dev v0; ip addr add 10.9.0.3/24 dev v0");
        Watch moved = new();
        string answer = await AskAsync(client, "coap://10.9.0.1/hi");
        findings.Check(answer == "hi", $"UDP, the same client: {answer}");
        string stream = await AskAsync(client, "coap+tcp://10.9.0.1/hi");
        findings.Check(stream == "hi" || stream.StartsWith("CoapConnectionException", StringComparison.Ordinal),
            $"TCP, on the old connection: {stream}");
        stream = await AskAsync(client, "coap+tcp://10.9.0.1/hi");
        findings.Check(stream == "hi", $"TCP, the next request, on a new connection: {stream}");
        string state = server.Change();
        findings.Check(await BecomesAsync(() => observation.Latest?.GetText() == state), "the observation over TCP goes on");
        findings.RecoveryMs = moved.Elapsed.TotalMilliseconds;
        findings.Count(client.Endpoint.Counters, CoapCounter.SendErrors, CoapCounter.Retransmissions, CoapCounter.ConnectionsLost,
            CoapCounter.StageErrors);
        findings.Counted.AddRange(log.Told);
    }
}
