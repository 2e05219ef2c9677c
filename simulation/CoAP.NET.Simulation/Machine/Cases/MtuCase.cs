using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>Datagrams are larger than the link takes.</summary>
internal sealed class MtuCase() : NetworkCase(
    "mtu",
    "link with a small MTU; a message larger than UDP takes",
    "the link's MTU is 576; 1,000 bytes are fetched at once and in blocks")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        here.Shell("ip link set v0 mtu 576");
        there.Shell("ip link set v1 mtu 576");
        await using MachineServer server = MachineServer.Make(false, "coap://[::]:5683");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, "coap://10.9.0.1/hi");
        findings.Check((await AskAsync(client, "coap://10.9.0.1/big")).Length == 1000,
            "the kernel cuts what is larger into fragments: 1,000 bytes arrive");
        CoapEndpointOptions options = MachineServer.Options(new LogCounts());
        options.Parameters = options.Parameters with { PreferredBlockSize = 256, MaxMessageSize = 400 };
        await using CoapClient careful = new(options);
        string blocks = "";
        there.Wait(async () => blocks = await AskAsync(careful, "coap://10.9.0.1/big"));
        findings.Check(blocks.Length == 1000, "in blocks of 256 bytes, too");
        findings.Count(server.Counters, CoapCounter.SendErrors);
    }
}
