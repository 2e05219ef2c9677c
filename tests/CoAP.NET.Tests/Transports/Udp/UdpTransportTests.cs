using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

public class UdpTransportTests : UdpTest
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_answer_comes_back_over_IPv4(CoapSocketEngine engine) =>
        await AssertEchoAsync(engine, "127.0.0.1", "127.0.0.1", "127.0.0.1");

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_answer_comes_back_over_IPv6(CoapSocketEngine engine) => await AssertEchoAsync(engine, "::1", "::1", "::1");

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_answer_comes_back_over_IPv4_through_a_socket_of_both_versions(CoapSocketEngine engine) =>
        await AssertEchoAsync(engine, "::", "127.0.0.1", "127.0.0.1");

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_answer_comes_back_over_IPv6_through_a_socket_of_both_versions(CoapSocketEngine engine) =>
        await AssertEchoAsync(engine, "::", "::1", "::1");

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_answer_is_sent_from_the_address_that_received_the_request(CoapSocketEngine engine)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs all loopback addresses");
        await AssertEchoAsync(engine, "0.0.0.0", "127.0.0.1", "127.0.0.5");
        await AssertEchoAsync(engine, "::", "127.0.0.1", "127.0.0.6");
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Each_of_several_addresses_answers_from_its_own_address(CoapSocketEngine engine)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs all loopback addresses");
        UdpTestContext context = new(UdpTestContext.Echo);
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1", "127.0.0.2", "::1");
        using UdpTestPeer ipv4 = new();
        using UdpTestPeer ipv6 = new("::1");
        (UdpTestPeer Peer, string Address)[] ways = [(ipv4, "127.0.0.1"), (ipv4, "127.0.0.2"), (ipv6, "::1")];

        Assert.Equal(3, transport.LocalAddresses.Count);
        for (int i = 0; i < ways.Length; i++)
        {
            IPEndPoint asked = At(ways[i].Address, transport, i);
            ways[i].Peer.Send($"to {i}", asked);
            (byte[] data, IPEndPoint from) = await ways[i].Peer.ReceiveAsync();
            Assert.Equal(asked, from);
            Assert.Equal($"to {i}", Encoding.ASCII.GetString(data));
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_received_datagram_carries_its_remote_and_local_address(CoapSocketEngine engine)
    {
        TaskCompletionSource<CoapDatagram> received = new(RunContinuationsAsynchronously);
        UdpTestContext context = new(received.SetResult);
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1", "::");
        using UdpTestPeer peer = new();

        peer.Send(Wire.Hex("40010001"), At("127.0.0.1", transport, 1));
        CoapDatagram datagram = await received.Task.WaitAsync(Hang);

        Assert.Equal(peer.Address, datagram.Remote);
        Assert.Equal(CoapAddress.FromIPEndPoint(At("127.0.0.1", transport, 1)), datagram.Local);
        Assert.Same(transport, datagram.Transport);
        Assert.Equal(1, datagram.TransportTag);
        Assert.Equal("40010001", Wire.Hex(datagram.Span));
        Assert.False(datagram.IsTruncated);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_datagram_above_MaxDatagramSize_is_marked_as_truncated(CoapSocketEngine engine)
    {
        System.Collections.Concurrent.BlockingCollection<(int Length, bool Cut)> received = [];
        UdpTestContext context = new(datagram =>
        {
            received.Add((datagram.Length, datagram.IsTruncated));
            datagram.Dispose();
        });
        context.Limits.Messages.MaxDatagramSize = 64;
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        foreach (int length in (int[])[64, 65, 9000, 0, 1])
        {
            peer.Send(new byte[length], At("127.0.0.1", transport));
        }

        foreach ((int, bool) expected in ((int, bool)[])[(64, false), (64, true), (64, true), (0, false), (1, false)])
        {
            Assert.True(received.TryTake(out (int, bool) actual, Hang));
            Assert.Equal(expected, actual);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Many_datagrams_of_a_peer_are_answered_in_their_order(CoapSocketEngine engine)
    {
        UdpTestContext context = new(UdpTestContext.Echo);
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        // No more at a time than the buffers of sockets hold on any machine, however long a thread is kept from emptying them.
        const int AtOnce = 200;
        for (int first = 0; first < 1000; first += AtOnce)
        {
            for (int i = first; i < first + AtOnce; i++)
            {
                peer.Send(BitConverter.GetBytes(i), At("127.0.0.1", transport));
            }

            for (int i = first; i < first + AtOnce; i++)
            {
                Assert.Equal(i, BitConverter.ToInt32((await peer.ReceiveAsync()).Data));
            }
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Large_answers_of_one_batch_all_leave(CoapSocketEngine engine)
    {
        byte[] large = new byte[60_000];
        UdpTestContext context = new(datagram =>
        {
            for (int i = 0; i < 5; i++)
            {
                large[0] = (byte)i;
                datagram.Transport!.Send(UdpTestContext.Reply(datagram, large));
            }

            datagram.Dispose();
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("go", At("127.0.0.1", transport));

        for (int i = 0; i < 5; i++)
        {
            byte[] data = (await peer.ReceiveAsync()).Data;
            Assert.Equal(60_000, data.Length);
            Assert.Equal(i, data[0]);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Datagrams_of_several_threads_are_all_sent(CoapSocketEngine engine)
    {
        UdpTestContext context = new();
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        await Task.WhenAll(Enumerable.Range(0, 4).Select(thread => context.Threads.RunAsync(() =>
        {
            for (int i = 0; i < 50; i++)
            {
                transport.Send(UdpTestContext.To(peer.Address, Encoding.ASCII.GetBytes($"{thread}{i:D2}")));
            }
        })));

        Assert.Equal(Enumerable.Range(0, 4).SelectMany(thread => Enumerable.Range(0, 50).Select(i => $"{thread}{i:D2}")),
            await peer.ReceiveTextsAsync(200));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_datagram_without_a_tag_leaves_from_the_socket_that_can_reach_the_peer(CoapSocketEngine engine)
    {
        await using CoapUdpTransport transport = await StartAsync(engine, new UdpTestContext(), "127.0.0.1", "::1");
        using UdpTestPeer peer = new("::1");

        transport.Send(UdpTestContext.To(peer.Address, "hello"u8));

        (byte[] _, IPEndPoint from) = await peer.ReceiveAsync();
        Assert.Equal(At("::1", transport, 1), from);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Datagrams_that_the_pipeline_keeps_are_not_overwritten(CoapSocketEngine engine)
    {
        System.Collections.Concurrent.ConcurrentQueue<CoapDatagram> kept = [];
        UdpTestContext context = new(datagram =>
        {
            CoapTransport transport = datagram.Transport!;
            kept.Enqueue(datagram);
            transport.Send(UdpTestContext.Reply(datagram, datagram.Span));
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        for (int i = 0; i < 300; i++)
        {
            peer.Send(BitConverter.GetBytes(i), At("127.0.0.1", transport));
            await peer.ReceiveAsync();
        }

        Assert.Equal(Enumerable.Range(0, 300), kept.Select(datagram => BitConverter.ToInt32(datagram.Span)));
        Assert.Equal(300, kept.Select(datagram => datagram.Buffer).Distinct().Count());

        foreach (CoapDatagram datagram in kept)
        {
            datagram.Dispose();
        }

        peer.Send("after", At("127.0.0.1", transport));
        Assert.Equal("after", await peer.ReceiveTextAsync());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    [Rfc("7252-8.1-2")]
    public async Task Datagrams_to_a_group_show_the_group_as_their_local_address(CoapSocketEngine engine)
    {
        IPAddress group = IPAddress.Parse("224.0.1.187");
        TaskCompletionSource<CoapAddress> local = new(RunContinuationsAsynchronously);
        UdpTestContext context = new(datagram =>
        {
            local.TrySetResult(datagram.Local);
            UdpTestContext.Echo(datagram);
        })
        { Shards = 2 };
        CoapUdpTransportOptions options = new()
        {
            Engine = engine,
            IsServer = true,
            Endpoints = { new IPEndPoint(IPAddress.Any, 0) },
            MulticastGroups = { group }
        };
        await using CoapUdpTransport transport = await StartAsync(context, options);
        using UdpTestPeer peer = new();
        peer.Socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, IPAddress.Loopback.GetAddressBytes());

        peer.Send("who is there", At("224.0.1.187", transport));

        Assert.Equal(CoapAddress.FromIPEndPoint(At("224.0.1.187", transport)), await local.Task.WaitAsync(Hang));
        (byte[] _, IPEndPoint from) = await peer.ReceiveAsync();
        Assert.Equal(At("127.0.0.1", transport), from);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Link_local_addresses_keep_their_interface(CoapSocketEngine engine)
    {
        IPAddress? own = NetworkInterface.GetAllNetworkInterfaces()
            .Where(adapter => adapter.OperationalStatus == OperationalStatus.Up)
            .SelectMany(adapter => adapter.GetIPProperties().UnicastAddresses)
            .Select(entry => entry.Address)
            .FirstOrDefault(address => address.IsIPv6LinkLocal);
        if (own is null)
        {
            return; // this machine has none
        }

        await AssertEchoAsync(engine, "::", own.ToString(), own.ToString());
        await AssertEchoAsync(engine, own.ToString(), own.ToString(), own.ToString());
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_socket_for_IPv6_only_is_not_offered_for_IPv4(CoapSocketEngine engine)
    {
        CoapUdpTransportOptions options = new()
        {
            Engine = engine,
            IsServer = true,
            DualMode = false,
            Endpoints = { new IPEndPoint(IPAddress.IPv6Any, 0) },
        };
        await using CoapUdpTransport transport = await StartAsync(new UdpTestContext(), options);

        Assert.False(transport.TryFindLocal(IPAddress.Loopback, out CoapAddress local, out _));
        Assert.Equal(default, local);
        Assert.True(transport.TryFindLocal(IPAddress.IPv6Loopback, out local, out int tag));
        Assert.Equal((CoapAddress.FromIPEndPoint(At("::1", transport)), 0), (local, tag));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task TryFindLocal_prefers_a_socket_of_the_IP_version_of_the_address(CoapSocketEngine engine)
    {
        await using CoapUdpTransport both = await StartAsync(engine, new UdpTestContext(), "::1", "::");
        Assert.True(both.TryFindLocal(IPAddress.Loopback, out CoapAddress local, out int tag));
        Assert.Equal((CoapAddress.FromIPEndPoint(At("127.0.0.1", both, 1)), 1), (local, tag));

        await using CoapUdpTransport own = await StartAsync(engine, new UdpTestContext(), "::", "127.0.0.1");
        Assert.True(own.TryFindLocal(IPAddress.Loopback, out local, out tag));
        Assert.Equal((CoapAddress.FromIPEndPoint(At("127.0.0.1", own, 1)), 1), (local, tag));

        // An address of IPv6 is none of IPv4.
        await using CoapUdpTransport other = await StartAsync(engine, new UdpTestContext(), "::1");
        Assert.False(other.TryFindLocal(IPAddress.Loopback, out _, out _));
    }

    private static async Task AssertEchoAsync(CoapSocketEngine engine, string bound, string peerAddress, string asked)
    {
        TaskCompletionSource<(CoapAddress Remote, CoapAddress Local)> seen = new(RunContinuationsAsynchronously);
        UdpTestContext context = new(datagram =>
        {
            seen.TrySetResult((datagram.Remote, datagram.Local));
            UdpTestContext.Echo(datagram);
        });
        await using CoapUdpTransport transport = await StartAsync(engine, context, bound);
        using UdpTestPeer peer = new(peerAddress);
        Assert.Equal(engine == PortableUdpEngine.WithTwoSockets ? CoapSocketEngine.Portable : engine, transport.Engine);
        IPEndPoint to = At(asked, transport);

        // Twice: the first answer may set something up.
        for (int i = 0; i < 2; i++)
        {
            peer.Send("hello", to);
            (byte[] data, IPEndPoint from) = await peer.ReceiveAsync();
            Assert.Equal("hello"u8, data);
            Assert.Equal(to, from);
        }

        (CoapAddress remote, CoapAddress local) = await seen.Task.WaitAsync(Hang);
        Assert.Equal(peer.Address, remote);
        Assert.Equal(CoapAddress.FromIPEndPoint(to), local);
    }
}
