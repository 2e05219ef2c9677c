namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>A machine on which IPv6 is switched off.</summary>
internal sealed class NoIPv6Case() : NetworkCase(
    "no-ipv6",
    "IPv6 switched off",
    "`disable_ipv6=1`; a server of all addresses is asked over IPv4, by UDP and TCP; an IPv6 address is asked and listened on")
{
    public override async Task RunAsync(MachineFindings findings)
    {
        (NetworkSpace here, NetworkSpace there) = NetworkSpace.Pair("10.9.0.1", "10.9.0.2");
        foreach (NetworkSpace space in (NetworkSpace[])[here, there])
        {
            space.Shell("for i in all default lo; do echo 1 > /proc/sys/net/ipv6/conf/$i/disable_ipv6; done");
        }

        await using MachineServer server = MachineServer.Make(false, "coap://[::]:5683", "coap+tcp://[::]:5683");
        here.Wait(server.StartAsync);
        await using CoapClient client = ClientIn(there, "coap://10.9.0.1/hi");
        string stream = "";
        string six = "";
        there.Wait(async () => stream = await AskAsync(client, "coap+tcp://10.9.0.1/hi"));
        there.Wait(async () => six = await AskAsync(client, "coap://[fd00:9::1]/hi"));
        findings.Check(stream == "hi", "IPv4 is served by UDP and TCP");
        findings.Check(six.StartsWith("CoapTimeoutException", StringComparison.Ordinal)
            || six.StartsWith("CoapConnectionException", StringComparison.Ordinal), $"an IPv6 address: {six.Split('.')[0]}");
        string bound = "bound";
        here.Wait(async () =>
        {
            await using MachineServer second = MachineServer.Make(false, "coap://[::1]:0");
            try
            {
                await second.StartAsync();
            }
            catch (CoapException exception)
            {
                bound = $"{exception.GetType().Name}: {exception.Message}";
            }
        });
        findings.Check(bound.StartsWith("CoapBindException", StringComparison.Ordinal), $"listening on [::1]: {bound}");
    }
}
