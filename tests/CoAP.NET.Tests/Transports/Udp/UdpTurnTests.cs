using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>What a receive loop begins with is new: its time is not that of something before it.</summary>
public class UdpTurnTests : UdpTest
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task ReceivedAt_is_never_earlier_than_the_send_time(CoapSocketEngine engine)
    {
        long sentAt = 0;
        List<bool> isOld = [];
        UdpTestContext context = new(datagram =>
        {
            // 0: the endpoint reads the clock.
            isOld.Add(datagram.ReceivedAt != 0 && datagram.ReceivedAt < Volatile.Read(ref sentAt));
            UdpTestContext.Echo(datagram);
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        for (int i = 0; i < 3; i++)
        {
            Volatile.Write(ref sentAt, CoapEnvironment.ReadClock(TimeProvider.System));
            peer.Send($"{i}", At("127.0.0.1", transport));
            Assert.Equal($"{i}", await peer.ReceiveTextAsync());
        }

        Assert.Equal([false, false, false], isOld);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_empty_socket_logs_no_warning(CoapSocketEngine engine)
    {
        ListLogger log = new();
        UdpTestContext context = new(UdpTestContext.Echo) { Logger = log };
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        // More often than failures that are in a row are reported.
        for (int i = 0; i < 250; i++)
        {
            peer.Send($"{i}", At("127.0.0.1", transport));
            Assert.Equal($"{i}", await peer.ReceiveTextAsync());
        }

        Assert.DoesNotContain(log.Entries, static entry => entry.Level >= Microsoft.Extensions.Logging.LogLevel.Warning);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_datagram_received_after_slow_user_code_is_not_treated_as_old(CoapSocketEngine engine)
    {
        List<bool> old = [];
        UdpTestContext context = new(datagram =>
        {
            ReceiveLoop loop = ((ReceiveLoopOwnership)UserCodeScope.Role!).Loop;
            old.Add(loop.HasBeenLong);
            if (old.Count == 1)
            {
                UserCodeScope.Enter();
                SpinWait.SpinUntil(() => loop.HasBeenLong, Hang);
                UserCodeScope.Exit();
                old.Add(loop.HasBeenLong);
            }

            UdpTestContext.Echo(datagram);
        });
        await using CoapUdpTransport transport = await StartAsync(context, new CoapUdpTransportOptions
        {
            Engine = engine,
            IsServer = true,
            HandOverAfter = Timeout.InfiniteTimeSpan,
            Endpoints = { new(System.Net.IPAddress.Loopback, 0) },
        });
        using UdpTestPeer peer = new();

        for (int i = 0; i < 2; i++)
        {
            peer.Send($"{i}", At("127.0.0.1", transport));
            Assert.Equal($"{i}", await peer.ReceiveTextAsync());
        }

        Assert.Equal([false, true, false], old);
    }
}
