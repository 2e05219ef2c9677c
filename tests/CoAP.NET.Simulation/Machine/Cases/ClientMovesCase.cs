namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>The client's address changes for good: the next request leaves from the new one, over UDP and TCP.</summary>
internal sealed class ClientMovesCase : NetworkCase
{
    public override string Name => "client-moves";

    public override string Fault => "the client's address changes";

    public override string Did => "a client with an open connection and an observation gets another address, the old one is gone";

    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        await using MachineServer server = MachineServer.Make(false, "coap://[::]:5683", "coap+tcp://[::]:5683");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, "coap://10.9.0.1/hi");
        there.Wait(() => client.GetAsync("coap+tcp://10.9.0.1/hi"));
        there.Shell("ip addr del 10.9.0.2/24 dev v1; ip addr add 10.9.0.3/24 dev v1");
        long moved = TimeProvider.System.GetTimestamp();
        string answer = await AskAsync(client, "coap://10.9.0.1/hi");
        findings.Check(answer == "hi", $"UDP: {answer}");

        // A connection cannot move. New sockets are made on threads of the library, in the network of the process: so this is asked from the network's own thread.
        string stream = string.Empty;
        there.Wait(async () => stream = await AskAsync(client, "coap+tcp://10.9.0.1/hi"));
        findings.Saw($"TCP, the old connection: {stream.Split('.')[0]}");
        findings.RecoveryMs = TimeProvider.System.GetElapsedTime(moved).TotalMilliseconds;
        findings.Check(stream == "hi" || stream.StartsWith("Coap", StringComparison.Ordinal), "an answer or a typed error");
        findings.Count(client.Endpoint.Counters, CoapCounter.SendErrors, CoapCounter.Retransmissions, CoapCounter.StageErrors);
    }
}
