using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

public class UdpErrorTests : UdpTest
{
    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("0.0.0.0", "127.0.0.1")]
    [InlineData("::1", "::1")]
    [InlineData("::", "::1")]
    [InlineData("::", "127.0.0.1")]
    [Rfc("7252-4.2-11")]
    public async Task An_unreachable_port_is_reported_with_the_sent_bytes(string bound, string remote)
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return; // not claimed elsewhere
        }

        UdpTestContext context = new();
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, bound);
        using UdpTestPeer deaf = Deaf(remote);
        CoapAddress dead = deaf.Address;

        transport.Send(UdpTestContext.To(dead, Wire.Hex("4001abcd 21 61 22 62 63")));

        Assert.True(context.Unreachable.TryTake(out (CoapAddress Remote, CoapAddress Local, byte[] Quoted) told, Hang));
        Assert.Equal(dead, told.Remote);
        Assert.Equal(CoapAddress.FromIPEndPoint(At(remote, transport)), told.Local);
        Assert.Equal("4001abcd2161226263", Wire.Hex(told.Quoted));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    [Rfc("7252-4.2-11")]
    public async Task Unreachable_ports_of_some_peers_do_not_affect_other_peers(CoapSocketEngine engine)
    {
        UdpTestContext context = new(UdpTestContext.Echo);
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();
        using UdpTestPeer deaf = Deaf("127.0.0.1");
        CoapAddress dead = deaf.Address;

        for (int i = 0; i < 200; i++)
        {
            transport.Send(UdpTestContext.To(dead, "gone"u8));
            transport.Send(UdpTestContext.To(peer.Address, "direct"u8));
            Assert.Equal("direct", await peer.ReceiveTextAsync());
            peer.Send("asked", At("127.0.0.1", transport));
            Assert.Equal("asked", await peer.ReceiveTextAsync());
        }

        Assert.Equal(0, context.Counters[CoapCounter.SendErrors]);
        if (engine == CoapSocketEngine.LinuxLoop)
        {
            for (int i = 0; i < 200; i++)
            {
                Assert.True(context.Unreachable.TryTake(out _, Hang));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_datagram_that_the_operating_system_refuses_is_reported_and_the_rest_of_the_batch_leaves(CoapSocketEngine engine)
    {
        // A broadcast needs a permission that is not asked for.
        CoapAddress broadcast = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Broadcast, 9));
        UdpTestContext context = new(datagram =>
        {
            datagram.Transport!.Send(UdpTestContext.Reply(datagram, "one"u8));
            datagram.Transport!.Send(UdpTestContext.To(broadcast, "two"u8));
            datagram.Transport!.Send(UdpTestContext.Reply(datagram, "three"u8));
            datagram.Dispose();
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("go", At("127.0.0.1", transport));

        Assert.Equal("one", await peer.ReceiveTextAsync());
        Assert.Equal("three", await peer.ReceiveTextAsync());
        AssertFailure(context, broadcast, "two", SocketError.AccessDenied);

        transport.Send(UdpTestContext.To(broadcast, "four"u8));
        AssertFailure(context, broadcast, "four", SocketError.AccessDenied);
        await Eventually.IsTrueAsync(() => context.Counters[CoapCounter.SendErrors] == 2);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_send_to_the_other_IP_version_fails_with_AddressFamilyNotSupported(CoapSocketEngine engine)
    {
        UdpTestContext context = new();
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        CoapAddress remote = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.IPv6Loopback, 9));

        transport.Send(UdpTestContext.To(remote, "hello"u8));

        AssertFailure(context, remote, "hello", SocketError.AddressFamilyNotSupported);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_datagram_above_the_UDP_limit_is_reported_as_a_failure(CoapSocketEngine engine)
    {
        UdpTestContext context = new(datagram =>
        {
            foreach (int length in (int[])[65_530, 65_536, 300_000, 65_000, 65_000, 65_000])
            {
                datagram.Transport!.Send(UdpTestContext.Reply(datagram, new byte[length]));
            }

            datagram.Dispose();
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("go", At("127.0.0.1", transport));
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal(65_000, (await peer.ReceiveAsync()).Data.Length);
            Assert.True(context.Failures.TryTake(out (CoapAddress, CoapAddress, byte[] Data, SocketError Error) failure, Hang));
            Assert.Equal(SocketError.MessageSize, failure.Error);
        }

        transport.Send(UdpTestContext.To(peer.Address, new byte[65_530]));
        Assert.True(context.Failures.TryTake(out (CoapAddress, CoapAddress, byte[] Data, SocketError Error) last, Hang));
        Assert.Equal(65_530, last.Data.Length);
    }

    [Fact]
    public async Task A_foreign_source_address_is_refused_and_not_replaced()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        UdpTestContext context = new();
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "0.0.0.0");
        using UdpTestPeer peer = new();
        CoapDatagram datagram = UdpTestContext.To(peer.Address, "hello"u8);
        datagram.Local = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("192.0.2.77"), 0));

        transport.Send(datagram);

        Assert.True(context.Failures.TryTake(out (CoapAddress, CoapAddress Local, byte[], SocketError) failure, Hang));
        Assert.Equal("192.0.2.77", failure.Local.ToIPAddress().ToString());
    }

    [Fact]
    public async Task Datagrams_that_the_kernel_drops_are_counted()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        using ManualResetEventSlim gate = new();
        UdpTestContext context = new(datagram =>
        {
            // Not user code, so that nobody takes over and the receive buffer runs full.
            gate.Wait();
            UdpTestContext.Echo(datagram);
        });
        context.Limits.Messages.ReceiveBufferSize = 4096;
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        for (int i = 0; i < 200; i++)
        {
            peer.Send(new byte[500], At("127.0.0.1", transport));
        }

        gate.Set();
        int probes = 0;
        while (context.Counters[CoapCounter.KernelDrops] == 0)
        {
            // The number comes with the next datagram that finds room; until then probes are dropped too.
            probes++;
            peer.Send("probe", At("127.0.0.1", transport));
            peer.DrainFor(FromMilliseconds(50));
        }

        Assert.InRange(context.Counters[CoapCounter.KernelDrops], 1, 200 + probes);
    }

    private static void AssertFailure(UdpTestContext context, CoapAddress remote, string text, SocketError error)
    {
        Assert.True(context.Failures.TryTake(out (CoapAddress Remote, CoapAddress, byte[] Data, SocketError Error) failure, Hang));
        Assert.Equal(remote, failure.Remote);
        Assert.Equal(text, Encoding.ASCII.GetString(failure.Data));
        Assert.Equal(error, failure.Error);
    }

    /// <summary>
    /// Holds a port so that nobody else gets it, and is connected to itself: for others the system says that nobody is there.
    /// </summary>
    private static UdpTestPeer Deaf(string address)
    {
        UdpTestPeer peer = new(address);
        peer.Socket.Connect(peer.Socket.LocalEndPoint!);
        return peer;
    }
}
