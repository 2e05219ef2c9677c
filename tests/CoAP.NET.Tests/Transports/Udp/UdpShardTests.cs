using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

public class UdpShardTests : UdpTest
{
    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("0.0.0.0", "127.0.0.9")]
    [InlineData("::", "127.0.0.1")]
    [InlineData("::1", "::1")]
    public async Task Four_shards_answer_every_peer(string bound, string asked)
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        ConcurrentDictionary<int, int> threads = new();
        UdpTestContext context = new(datagram =>
        {
            threads.AddOrUpdate(Environment.CurrentManagedThreadId, 1, (_, count) => count + 1);
            UdpTestContext.Echo(datagram);
        })
        { Shards = 4 };
        CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, bound);
        Assert.Single(transport.LocalAddresses);
        Assert.Equal(4, context.Threads.Running);
        UdpTestPeer[] peers = [
            .. Enumerable.Range(0, 64).Select(_ => new UdpTestPeer(asked.Contains(':', Ordinal) ? "::1" : "127.0.0.1"))];

        foreach (UdpTestPeer peer in peers)
        {
            for (int i = 0; i < 10; i++)
            {
                peer.Send($"{i}", At(asked, transport));
            }
        }

        foreach (UdpTestPeer peer in peers)
        {
            for (int i = 0; i < 10; i++)
            {
                (byte[] data, IPEndPoint from) = await peer.ReceiveAsync();
                Assert.Equal($"{i}", Encoding.ASCII.GetString(data));
                Assert.Equal(At(asked, transport), from);
            }
        }

        Assert.True(threads.Count > 1, "All peers came through one socket.");
        foreach (UdpTestPeer peer in peers)
        {
            transport.Send(UdpTestContext.To(peer.Address, "direct"u8));
            Assert.Equal("direct", await peer.ReceiveTextAsync());
            peer.Dispose();
        }

        await transport.DisposeAsync();
        await context.Threads.WhenAtMostAsync(0);
    }

    [Fact]
    public async Task A_second_endpoint_cannot_bind_the_port_of_a_sharded_endpoint()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        await using CoapUdpTransport first = await StartAsync(CoapSocketEngine.LinuxLoop, new UdpTestContext { Shards = 4 }, "127.0.0.1");
        CoapUdpTransport second = new(new CoapUdpTransportOptions
        {
            Engine = CoapSocketEngine.LinuxLoop,
            IsServer = true,
            Endpoints = { first.LocalAddresses[0].ToIPEndPoint() }
        });
        UdpTestContext context = new() { Shards = 4 };

        CoapBindException exception =
            await Assert.ThrowsAsync<CoapBindException>(async () => await second.StartAsync(context, CancellationToken.None));

        Assert.Equal(SocketError.AddressAlreadyInUse, exception.SocketError);
    }

    [Fact]
    public async Task Sharded_endpoints_on_port_0_get_different_ports()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        List<CoapUdpTransport> transports = [];
        CountingScheduler threads = new();
        for (int i = 0; i < 20; i++)
        {
            transports.Add(await StartAsync(CoapSocketEngine.LinuxLoop, new UdpTestContext { Shards = 2, Threads = threads }, "127.0.0.1"));
        }

        Assert.Equal(20, transports.Select(transport => transport.LocalAddresses[0].Port).Distinct().Count());
        foreach (CoapUdpTransport transport in transports)
        {
            await transport.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_multicast_datagram_is_received_once_with_many_shards()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        BlockingCollection<string> heard = [];
        UdpTestContext context = new(datagram =>
        {
            heard.Add(datagram.Local.IsMulticast ? "group" : "one");
            UdpTestContext.Echo(datagram);
        })
        { Shards = 4 };
        CoapUdpTransportOptions options = new()
        {
            IsServer = true,
            Endpoints = { new IPEndPoint(IPAddress.Any, 0) },
            MulticastGroups = { IPAddress.Parse("224.0.1.187") }
        };
        await using CoapUdpTransport transport = await StartAsync(context, options);
        using UdpTestPeer peer = new();
        peer.Socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, IPAddress.Loopback.GetAddressBytes());

        peer.Send("group", At("224.0.1.187", transport));
        Assert.Equal("group", await peer.ReceiveTextAsync());

        // What the other shards might have heard would have been heard before this.
        foreach (UdpTestPeer other in Enumerable.Range(0, 32).Select(_ => new UdpTestPeer()))
        {
            other.Send("one", At("127.0.0.1", transport));
            await other.ReceiveAsync();
            other.Dispose();
        }

        Assert.Equal(1, heard.Count(text => text == "group"));
    }
}
