using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Groups;

/// <summary>A port that another program listens at too.</summary>
public sealed class SharedPortTests
{
    private const string Group = "224.0.1.187";

    public static TheoryData<CoapSocketEngine, bool> Cases
    {
        get
        {
            TheoryData<CoapSocketEngine, bool> cases = [];
            foreach (CoapSocketEngine engine in LinuxUdpEngine.IsSupported
                ? (CoapSocketEngine[])[CoapSocketEngine.LinuxLoop, CoapSocketEngine.Portable]
                : [CoapSocketEngine.Portable])
            {
                cases.Add(engine, true);
                cases.Add(engine, false);
            }

            return cases;
        }
    }

    [MulticastTheory]
    [MemberData(nameof(Cases))]
    public async Task A_datagram_to_a_group_reaches_both_programs_on_the_shared_port(CoapSocketEngine engine, bool isOtherFirst)
    {
        string adapter = MulticastTheoryAttribute.InterfaceOf(ipv6: false)!;
        using Socket other = isOtherFirst ? BindShared(0) : new Socket(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        int port = isOtherFirst ? PortOf(other) : LoopbackPort.FindFree();
        await using CoapServer server = Make(engine, port, adapter, shares: true);
        server.MapGet("/x", static () => CoapResults.Text("here")).AllowMulticast();
        await server.StartAsync();
        using Socket? second = isOtherFirst ? null : BindShared(port);
        Socket listener = second ?? other;
        Join(listener, adapter);

        await using CoapClient client = new(new CoapEndpointOptions { Transports = { UdpEngine = engine } });
        await using IAsyncEnumerator<CoapGroupResponse> answers = client.GetFromGroupAsync(
            $"coap://{Group}:{port}/x", options: new CoapGroupRequestOptions { Interface = adapter, HopLimit = 1 }).GetAsyncEnumerator();
        Assert.True(await answers.MoveNextAsync().AsTask().WaitAsync(FromMinutes(2)));
        Assert.Equal("here", answers.Current.Response.GetText());
        byte[] buffer = new byte[2048];
        int length = await listener.ReceiveAsync(buffer).WaitAsync(FromMinutes(2));

        // A Non-confirmable GET of /x.
        Assert.Equal((0x50, 0x01), (buffer[0] & 0xf0, buffer[1]));
        Assert.Equal("b178", Wire.Hex(buffer.AsSpan(length - 2, 2)));
    }

    [MulticastTheory]
    [MemberData(nameof(Cases))]
    public async Task A_port_is_shared_only_if_both_programs_allow_it(CoapSocketEngine engine, bool isOtherFirst)
    {
        string adapter = MulticastTheoryAttribute.InterfaceOf(ipv6: false)!;
        if (isOtherFirst)
        {
            using Socket other = BindShared(0);
            await using CoapServer refused = Make(engine, PortOf(other), adapter, shares: false);
            CoapBindException error = await Assert.ThrowsAsync<CoapBindException>(() => refused.StartAsync());
            Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketError);
            error.Mentions("SharePort");
            return;
        }

        await using CoapServer server = Make(engine, 0, adapter, shares: true);
        await server.StartAsync();
        SocketException exception = Assert.Throws<SocketException>(() => BindShared(server.LocalEndpoints[0].Port));
        Assert.Equal(SocketError.AddressAlreadyInUse, exception.SocketErrorCode);
    }

    private static CoapServer Make(CoapSocketEngine engine, int port, string adapter, bool shares)
    {
        CoapServer server =
            new(new CoapEndpointOptions
            {
                Transports = { UdpEngine = engine },
                Parameters = new() { DefaultLeisure = FromMilliseconds(20) },
            });
        server.Listen($"coap://0.0.0.0:{port}").JoinGroups(new CoapGroupOptions { Interfaces = { adapter }, SharePort = shares });
        return server;
    }

    private static Socket BindShared(int port)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            if (port != 0)
            {
                socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            }

            socket.Bind(new IPEndPoint(IPAddress.Any, port));

            // After binding, so that the port is one that nobody had.
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }

    private static int PortOf(Socket socket) => ((IPEndPoint)socket.LocalEndPoint!).Port;

    private static void Join(Socket socket, string adapter)
    {
        IPInterfaceProperties properties = NetworkInterface.GetAllNetworkInterfaces().Single(item => item.Name == adapter)
            .GetIPProperties();
        socket.SetSocketOption(
            SocketOptionLevel.IP, SocketOptionName.AddMembership,
            new MulticastOption(IPAddress.Parse(Group), properties.GetIPv4Properties().Index));
    }
}
