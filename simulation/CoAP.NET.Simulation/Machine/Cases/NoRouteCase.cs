using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>There is no network but loopback: requests end with typed errors, and work as soon as there is one.</summary>
internal sealed class NoRouteCase() : NetworkCase(
    "no-route",
    "no network but loopback; no route for groups",
    "a client asks a host and a group that there is no route to, over UDP and TCP; a server starts")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        NetworkSpace space = new();
        space.Shell("ip link set lo up");
        await using MachineServer server = MachineServer.Make(false, "coap://[::]:5683");
        server.Server.JoinGroups();
        space.Wait(server.StartAsync);
        findings.Saw("a server that joins groups starts");
        await using CoapClient client = ClientIn(space, "coap://127.0.0.1/hi");
        Task<string> asked = AskAsync(client, "coap://192.0.2.1/hi");
        string stream = "";
        space.Wait(async () => stream = await AskAsync(client, "coap+tcp://192.0.2.1/hi"));
        findings.Check(stream.StartsWith("CoapConnectionException", StringComparison.Ordinal), $"TCP: {stream}");
        string group = "answers end";
        try
        {
            await foreach (CoapGroupResponse response in client.SendToGroupAsync(
                new CoapRequest(CoapMethod.Get, "coap://224.0.1.187/hi") { Confirmable = false, Timeout = TimeSpan.FromMilliseconds(300) }))
            {
                group = response.Response.GetText();
            }
        }
        catch (CoapException exception)
        {
            group = exception.GetType().Name;
        }

        findings.Saw($"group: {group}");
        await ProcessorUse.CheckAsync(findings, TimeSpan.FromMilliseconds(300));
        string answer = await asked;
        findings.Check(answer.StartsWith("CoapTimeoutException", StringComparison.Ordinal),
            $"UDP: {answer.Split(':')[0]} after its retransmissions");
        findings.Check((await AskAsync(client, "coap://127.0.0.1/hi")) == "hi", "loopback is served all the while");
        findings.Count(client.Endpoint.Counters, CoapCounter.SendErrors, CoapCounter.Retransmissions);
    }
}
