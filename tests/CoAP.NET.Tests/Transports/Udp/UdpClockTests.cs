using CoAP.NET.Execution;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

public class UdpClockTests : UdpTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_loop_calls_the_clock_when_it_is_due_and_when_it_is_woken(bool server)
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        using SemaphoreSlim ticked = new(0);
        int due = 3;
        UdpTestContext context = new(UdpTestContext.Echo) { Shards = server ? 2 : 1 };
        context.OnTick = () =>
        {
            ticked.Release();
            return --due > 0 ? FromMilliseconds(1) : Timeout.InfiniteTimeSpan;
        };
        await using CoapUdpTransport transport = await StartAsync(context, new CoapUdpTransportOptions { IsServer = server });

        Assert.True(transport.DrivesClock);
        for (int i = 0; i < 3; i++)
        {
            Assert.True(await ticked.WaitAsync(Hang));
        }

        for (int i = 0; i < 50; i++)
        {
            transport.Wake();
            Assert.True(await ticked.WaitAsync(Hang));
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_transport_does_not_drive_a_custom_clock(CoapSocketEngine engine)
    {
        UdpTestContext context = new() { Time = new StoppedClock() };
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");

        Assert.False(transport.DrivesClock);
        transport.Wake();
    }

    [Fact]
    public async Task A_datagram_sent_during_the_start_leaves()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        using UdpTestPeer peer = new();
        CoapUdpTransport transport = new(new CoapUdpTransportOptions { IsServer = true });
        UdpTestContext context = new();
        context.OnTick = () =>
        {
            transport.Send(UdpTestContext.To(peer.Address, "tick"u8));
            return Timeout.InfiniteTimeSpan;
        };

        await transport.StartAsync(context, CancellationToken.None);

        Assert.Equal("tick", await peer.ReceiveTextAsync());
        await transport.DisposeAsync();
    }

    [Fact]
    public async Task A_datagram_that_the_clock_sends_leaves_and_a_clock_that_blocks_does_not_stop_the_loop()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        using ManualResetEventSlim release = new();
        using UdpTestPeer peer = new();
        CoapUdpTransport? transport = null;
        UdpTestContext context = new(UdpTestContext.Echo);
        int ticks = 0;
        context.OnTick = () =>
        {
            if (Interlocked.Increment(ref ticks) == 2)
            {
                transport!.Send(UdpTestContext.To(peer.Address, "tick"u8));
                UserCodeScope.Enter();
                release.Wait();
                UserCodeScope.Exit();
            }

            return Timeout.InfiniteTimeSpan;
        };
        transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "127.0.0.1");
        await using CoapUdpTransport disposing = transport;

        transport.Wake();
        Assert.Equal("tick", await peer.ReceiveTextAsync());
        peer.Send("other", At("127.0.0.1", transport));
        Assert.Equal("other", await peer.ReceiveTextAsync());
        release.Set();
    }

    [Fact]
    public async Task Wake_in_a_handler_reaches_the_clock_before_the_loop_waits()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        using SemaphoreSlim ticked = new(0);
        UdpTestContext context = new(datagram =>
        {
            UserCodeScope.Enter();
            datagram.Transport!.Wake();
            UserCodeScope.Exit();
            UdpTestContext.Echo(datagram);
        });
        context.OnTick = () =>
        {
            ticked.Release();
            return Timeout.InfiniteTimeSpan;
        };
        await using CoapUdpTransport transport = await StartAsync(CoapSocketEngine.LinuxLoop, context, "127.0.0.1");
        using UdpTestPeer peer = new();
        Assert.True(await ticked.WaitAsync(Hang));

        for (int i = 0; i < 100; i++)
        {
            peer.Send("wake", At("127.0.0.1", transport));
            Assert.True(await ticked.WaitAsync(Hang));
        }
    }

    [Fact]
    public void LoopClocks_returns_clocks_in_order_of_their_due_time()
    {
        LoopClockQueue clocks = new();
        LoopClockSchedule first = new(null!);
        LoopClockSchedule second = new(null!);
        clocks.Schedule(first, 10);
        clocks.Schedule(second, 5);

        Assert.Equal(5, clocks.NextDue);
        Assert.Null(clocks.PeekDue(4));
        Assert.Same(second, clocks.PeekDue(10));
        clocks.Schedule(second, 20);
        Assert.Same(first, clocks.PeekDue(10));
        clocks.Schedule(first, long.MaxValue);
        Assert.Null(clocks.PeekDue(10));
        Assert.Equal(20, clocks.NextDue);

        clocks.Wake(first);
        clocks.Wake(first);
        clocks.CollectWoken(15);
        Assert.Same(first, clocks.PeekDue(15));
        clocks.Schedule(first, 30);
        second.Remove();
        Assert.Null(clocks.PeekDue(25));
        Assert.Equal(30, clocks.NextDue);
        Assert.Same(first, clocks.PeekDue(30));
    }

    private sealed class StoppedClock : TimeProvider
    {
        public override long GetTimestamp() => 0;
    }
}
