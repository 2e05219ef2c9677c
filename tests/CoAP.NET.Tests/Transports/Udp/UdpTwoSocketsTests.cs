using System.Net;
using System.Net.Sockets;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Two sockets in place of one for both IP versions, and the end of a receive that closing does not end.</summary>
public class UdpTwoSocketsTests(ITestOutputHelper output) : UdpTest
{
    // No more than the buffer of a socket holds.
    private const int AtOnce = 100;
    private const int Rounds = 10;

    [Fact]
    public async Task The_two_sockets_share_one_port_and_one_local_address()
    {
        UdpTestContext context = new(UdpTestContext.Echo);
        await using CoapUdpTransport transport = await StartAsync(PortableUdpEngine.WithTwoSockets, context, "::");

        CoapAddress only = Assert.Single(transport.LocalAddresses);
        Assert.Equal(IPAddress.IPv6Any, only.ToIPAddress());
        foreach (IPAddress address in (IPAddress[])[IPAddress.Any, IPAddress.IPv6Any])
        {
            using Socket other = new(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            SocketException error = Assert.Throws<SocketException>(() => other.Bind(new IPEndPoint(address, only.Port)));
            Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketErrorCode);
        }
    }

    [Fact]
    public async Task An_IPv6_only_endpoint_opens_one_socket()
    {
        CoapUdpTransportOptions options = new()
        {
            Engine = PortableUdpEngine.WithTwoSockets,
            IsServer = true,
            DualMode = false,
            Endpoints = { new IPEndPoint(IPAddress.IPv6Any, 0) },
        };
        await using CoapUdpTransport transport = await StartAsync(new UdpTestContext(), options);
        using Socket other = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Any, transport.LocalAddresses[0].Port));
    }

    [Fact]
    public async Task A_port_in_use_on_IPv4_throws_CoapBindException_and_leaves_no_socket_open()
    {
        using Socket other = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        other.Bind(new IPEndPoint(IPAddress.Any, 0));
        int port = ((IPEndPoint)other.LocalEndPoint!).Port;
        CoapUdpTransportOptions options = new()
        {
            Engine = PortableUdpEngine.WithTwoSockets,
            IsServer = true,
            Endpoints = { new IPEndPoint(IPAddress.IPv6Any, port) },
        };

        CoapBindException error = await Assert.ThrowsAsync<CoapBindException>(() => StartAsync(new UdpTestContext(), options));

        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketError);
        Assert.Equal(new IPEndPoint(IPAddress.Any, port), error.Endpoint);
        using Socket after = new(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp) { DualMode = false };
        after.Bind(new IPEndPoint(IPAddress.IPv6Any, port));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_client_reaches_peers_of_both_versions(CoapSocketEngine engine)
    {
        System.Collections.Concurrent.BlockingCollection<CoapAddress> received = [];
        UdpTestContext context = new(datagram =>
        {
            received.Add(datagram.Remote);
            datagram.Dispose();
        });
        await using CoapUdpTransport client = await StartAsync(context, new CoapUdpTransportOptions { Engine = engine });
        foreach (string address in (string[])["127.0.0.1", "::1"])
        {
            using UdpTestPeer peer = new(address);
            client.Send(UdpTestContext.To(peer.Address, "hello"u8));
            (byte[] data, IPEndPoint from) = await peer.ReceiveAsync();
            Assert.Equal("hello"u8, data);
            Assert.Equal(client.LocalAddresses[0].Port, from.Port);
            peer.Send("hello", from);
            Assert.True(received.TryTake(out CoapAddress remote, Hang));
            Assert.Equal(peer.Address, remote);
        }
    }

    [Theory]
    [InlineData("0.0.0.0", "127.0.0.1")]
    [InlineData("::", "::1")]
    [InlineData("127.0.0.1", null)]
    [InlineData("::1", null)]
    public async Task EndReceive_ends_a_pending_receive_before_the_socket_is_closed(string address, string? moreSpecific)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "closing a socket ends its receive on Windows");
        IPAddress own = IPAddress.Parse(address);
        using Socket socket = new(own.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        if (own.AddressFamily == AddressFamily.InterNetworkV6)
        {
            socket.DualMode = false;
        }

        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        socket.Bind(new IPEndPoint(own, 0));
        using Socket other = new(own.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        if (moreSpecific is not null)
        {
            // The socket of the answers from this address: it would get a datagram that is not from the socket itself.
            other.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
            other.Bind(new IPEndPoint(IPAddress.Parse(moreSpecific), ((IPEndPoint)socket.LocalEndPoint!).Port));
        }

        CountingScheduler threads = new();
        SocketAddress from = new(own.AddressFamily);
        Task receiving = threads.RunAsync(() => socket.ReceiveFrom(new byte[16], SocketFlags.None, from));
        UdpSockets.EndReceive(socket);
        await receiving.WaitAsync(Hang);
    }

    [Fact]
    public async Task SharePort_shares_both_sockets_with_other_SharePort_endpoints()
    {
        CoapUdpTransportOptions options = new()
        {
            Engine = PortableUdpEngine.WithTwoSockets,
            IsServer = true,
            SharePort = true,
            Endpoints = { new IPEndPoint(IPAddress.IPv6Any, LoopbackPort.FindFree()) },
        };
        await using CoapUdpTransport first = await StartAsync(new UdpTestContext(), options);
        await using CoapUdpTransport second = await StartAsync(new UdpTestContext(), options);
        CoapUdpTransportOptions alone = options.Clone();
        alone.SharePort = false;
        CoapBindException error = await Assert.ThrowsAsync<CoapBindException>(() => StartAsync(new UdpTestContext(), alone));
        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketError);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_ReceiveBufferSize_above_the_system_limit_does_not_prevent_the_start(CoapSocketEngine engine)
    {
        UdpTestContext context = new(UdpTestContext.Echo);
        context.Limits.Messages.ReceiveBufferSize = 1024 * 1024 * 1024;
        await using CoapUdpTransport transport = await StartAsync(engine, context, "::");
        using UdpTestPeer peer = new();
        peer.Send("hello", At("127.0.0.1", transport));
        Assert.Equal("hello", await peer.ReceiveTextAsync());
    }

    [Theory]
    [InlineData(CoapSocketEngine.Portable)]
    [InlineData(PortableUdpEngine.WithTwoSockets)]
    public async Task A_client_receives_without_an_allocation(CoapSocketEngine engine) =>
        Assert.Equal(0, await AllocatedAsync(new CoapUdpTransportOptions { Engine = engine }));

    [Theory]
    [InlineData("127.0.0.1")]
    [InlineData("0.0.0.0")]
    [InlineData("::")]
    public async Task The_portable_engine_receives_without_allocation_at_a_single_address(string address)
    {
        IPEndPoint endpoint = new(IPAddress.Parse(address), 0);
        double bytes = await AllocatedAsync(
            new CoapUdpTransportOptions { Engine = CoapSocketEngine.Portable, IsServer = true, Endpoints = { endpoint } });
        output.WriteLine($"{bytes} bytes for each datagram");
        Assert.InRange(bytes, 0, UdpSockets.IsWildcard(endpoint) ? 1000 : 0);
    }

    // The bytes that the receiving thread allocates for each datagram.
    private static async Task<double> AllocatedAsync(CoapUdpTransportOptions options)
    {
        AllocationMarks marks = new(AtOnce / 4);
        UdpTestContext context = new(datagram =>
        {
            datagram.Dispose();
            marks.Note();
        });
        await using CoapUdpTransport transport = await StartAsync(context, options);
        using UdpTestPeer peer = new();
        IPEndPoint to = At("127.0.0.1", transport);
        for (int i = 0; i < Rounds; i++)
        {
            for (int j = 0; j < AtOnce; j++)
            {
                peer.Send("x"u8, to);
            }

            await Eventually.IsTrueAsync(() => marks.Calls == (i + 1) * AtOnce);
        }

        return marks.TakeLeast();
    }
}
