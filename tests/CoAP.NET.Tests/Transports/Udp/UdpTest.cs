using System.Net;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>What the tests of the UDP transport share: they run with each engine that this machine has.</summary>
public abstract class UdpTest
{
    protected static readonly TimeSpan Hang = FromMinutes(2);

    public static TheoryData<CoapSocketEngine> Engines => LinuxUdpEngine.IsSupported
        ? new(CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets)
        : new(CoapSocketEngine.Portable, PortableUdpEngine.WithTwoSockets);

    private protected static async Task<CoapUdpTransport> StartAsync(CoapSocketEngine engine, UdpTestContext context,
        params string[] addresses)
    {
        CoapUdpTransportOptions options = new() { Engine = engine, IsServer = true };
        foreach (string address in addresses)
        {
            options.Endpoints.Add(new IPEndPoint(IPAddress.Parse(address), 0));
        }

        return await StartAsync(context, options);
    }

    private protected static async Task<CoapUdpTransport> StartAsync(UdpTestContext context, CoapUdpTransportOptions options)
    {
        CoapUdpTransport transport = new(options);
        await transport.StartAsync(context, CancellationToken.None);
        return transport;
    }

    protected static IPEndPoint At(string address, CoapUdpTransport transport, int index = 0) =>
        new(IPAddress.Parse(address), transport.LocalAddresses[index].Port);
}
