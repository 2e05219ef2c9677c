using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>What the loop of one transport sends by another one, as a proxy does in both directions.</summary>
public sealed class ForeignLoopTests : UdpTest
{
    [Fact]
    public async Task A_datagram_sent_by_another_transport_leaves_with_the_batch_and_from_its_own_port()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return; // others send at once
        }

        using UdpTestPeer peer = new();
        await using CoapUdpTransport other = await StartAsync(CoapSocketEngine.LinuxLoop, new UdpTestContext(), "127.0.0.1");
        int atOnce = 0;
        UdpTestContext context = new(datagram =>
        {
            datagram.Dispose();
            int before = peer.Socket.Available;
            other.Send(UdpTestContext.To(peer.Address, "one"u8));
            other.Send(UdpTestContext.To(peer.Address, "two"u8));
            atOnce += peer.Socket.Available > before ? 1 : 0;
        });
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "127.0.0.1");

        // A turn that the system interrupts sends early: not each of so many.
        for (int i = 0; i < 100; i++)
        {
            peer.Send("go", At("127.0.0.1", transport));
            Assert.Equal(["one", "two"], await peer.ReceiveTextsAsync(2));
        }

        Assert.InRange(atOnce, 0, 99);
        peer.Send("go", At("127.0.0.1", transport));
        Assert.Equal(other.LocalAddresses[0].Port, (await peer.ReceiveAsync()).From.Port);
    }

    [Fact]
    public async Task A_datagram_sent_before_the_transport_is_closed_leaves_and_later_ones_are_dropped()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return; // others send at once
        }

        using UdpTestPeer peer = new();
        CoapUdpTransport other = await StartAsync(CoapSocketEngine.LinuxLoop, new UdpTestContext(), "127.0.0.1");
        UdpTestContext context = new(datagram =>
        {
            CoapDatagram reply = UdpTestContext.Reply(datagram, "reply"u8);
            CoapTransport own = datagram.Transport!;
            datagram.Dispose();
            other.Send(UdpTestContext.To(peer.Address, "last"u8));
            Assert.True(other.DisposeAsync().AsTask().Wait(Hang));
            other.Send(UdpTestContext.To(peer.Address, "late"u8));
            own.Send(reply);
        });
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "127.0.0.1");

        peer.Send("go", At("127.0.0.1", transport));
        Assert.Equal(["last", "reply"], await peer.ReceiveTextsAsync(2));
        for (int i = 0; i < 3; i++)
        {
            peer.Send("go", At("127.0.0.1", transport));
            Assert.Equal("reply", await peer.ReceiveTextAsync());
        }

        Assert.Empty(context.Faults);
    }
}
