using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>The address that a server is bound to is taken away and comes back, as when a lease runs out.</summary>
internal sealed class AddressGoneCase(string prefix) : NetworkCase(
    prefix.Contains(':') ? "address-gone-ipv6" : "address-gone",
    $"the server's {(prefix.Contains(':') ? "IPv6" : "IPv4")} address gone and back",
    "`ip addr del`, 1 s, `ip addr add`, while clients ask over UDP and observe, by a socket of the address and by one of all "
        + "addresses; the server sends notifications meanwhile")
{
    private bool IsIPv6 => prefix.Contains(':');

    private string Server => IsIPv6 ? $"[{prefix}1]" : $"{prefix}1";

    public override async Task RunAsync(MachineFindings findings)
    {
        string address = prefix + "1" + (IsIPv6 ? "/64 nodad" : "/24");
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair(prefix + "1", prefix + "2");
        here.Shell($"ip addr add {prefix}9{(IsIPv6 ? "/64 nodad" : "/24")} dev v0; echo 1 > /proc/sys/net/ipv4/conf/v0/promote_secondaries");
        await using MachineServer server = MachineServer.Make(false, $"coap://{Server}:5683", "coap://[::]:5700");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, $"coap://{Server}/hi");
        CoapObservation[] observations =
        [
            await client.ObserveAsync(new CoapRequest(CoapMethod.Get, $"coap://{Server}/n")),
            await client.ObserveAsync(new CoapRequest(CoapMethod.Get, $"coap://{Server}:5700/n")),
        ];
        here.Shell($"ip addr del {address.Replace(" nodad", "")} dev v0");
        Task<string>[] asked = [AskAsync(client, $"coap://{Server}/hi"), AskAsync(client, $"coap://{Server}:5700/hi")];
        server.Change();
        await ProcessorUse.CheckAsync(findings, TimeSpan.FromSeconds(1));
        server.Change();
        here.Shell($"ip addr add {address} dev v0");
        long back = TimeProvider.System.GetTimestamp();
        string[] answers = await Task.WhenAll(asked);
        findings.Check(answers.All(answer => answer == "hi"),
            $"requests are answered once it is back: {string.Join(", ", answers)}");
        findings.RecoveryMs = TimeProvider.System.GetElapsedTime(back).TotalMilliseconds;
        findings.Check(server.Server.ObserverCount == 2, $"{server.Server.ObserverCount} of 2 observers are still there");
        string state = server.Change();
        findings.Check(await BecomesAsync(() => observations.All(one => one.Latest?.GetText() == state)), "both have the newest state");
        findings.Check(server.Log.Warnings <= 2, $"no flood of log ({server.Log.Warnings} warnings)");
        findings.Count(server.Counters, CoapCounter.SendErrors, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }
}
