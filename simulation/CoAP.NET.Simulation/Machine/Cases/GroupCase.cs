using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>The interface over which a server belongs to groups is taken away and another one comes: it joins again.</summary>
internal sealed class GroupCase() : NetworkCase(
    "group-rejoin",
    "interface of a multicast group down, up, deleted, and a new one",
    "a server in 224.0.1.187 and ff02::fd is asked by both groups; its interface goes down and up; it is deleted and made anew")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace Here, NetworkSpace There) pair = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        await using MachineServer server = MachineServer.Make(false, "coap://[::]:5683");
        server.Server.JoinGroups();
        pair.Here.Wait(server.StartAsync);
        pair.There.Shell("ip route add 224.0.0.0/4 dev v1");
        await using CoapClient client = ClientIn(pair.There, "coap://10.9.0.1/hi");
        findings.Check(Hears(pair.There, client), "both groups answer");
        pair.Here.Shell("ip link set v0 down; ip link set v0 up");
        findings.Check(Hears(pair.There, client), "after down and up, too");
        pair.Here.Shell("ip link del v0");
        NetworkSpace.Connect(pair, "10.9.0.1", "10.9.0.2");
        pair.There.Shell("ip route add 224.0.0.0/4 dev v1");
        Watch back = new();
        findings.Check(Hears(pair.There, client), "with a new interface, too");
        findings.Saw($"{server.Log.Of(1010)} joined again");
        findings.RecoveryMs = back.Elapsed.TotalMilliseconds;
        findings.Count(server.Counters, CoapCounter.SendErrors, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }

    // Interfaces are looked up by the thread that asks.
    private static bool Hears(NetworkSpace there, CoapClient client)
    {
        bool four = false;
        bool six = false;
        for (int i = 0; i < 12 && !(four && six); i++)
        {
            four = four || there.Do(() => AskAsync("coap://224.0.1.187/hi").GetAwaiter().GetResult());
            six = six || there.Do(() => AskAsync("coap://[ff02::fd]/hi").GetAwaiter().GetResult());
        }

        return four && six;

        async Task<bool> AskAsync(string uri)
        {
            try
            {
                CoapRequest request = new(CoapMethod.Get, uri) { Confirmable = false, Timeout = TimeSpan.FromMilliseconds(500) };
                await foreach (CoapGroupResponse response in client.SendToGroupAsync(request,
                    new CoapGroupRequestOptions { Interface = "v1" }))
                {
                    return response.Response.GetText() == "hi";
                }
            }
            catch (CoapException)
            {
                // No route for a moment.
            }

            return false;
        }
    }
}
