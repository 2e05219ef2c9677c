using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Transports.Udp;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Real clock: an idle thread of a loop ends after some real time.</summary>
public class UdpLifetimeTests : UdpTest
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_transport_binds_no_port_before_the_start_or_after_disposal(CoapSocketEngine engine)
    {
        // Somebody else may be given the port that has just become free, but not each time.
        for (int tries = 1; !await IsFreeAfterwardsAsync(engine); tries++)
        {
            Assert.True(tries < 5, "The port is still taken.");
        }
    }

    private static async Task<bool> IsFreeAfterwardsAsync(CoapSocketEngine engine)
    {
        UdpTestContext context = new(UdpTestContext.Echo);
        CoapUdpTransport transport =
            new(new CoapUdpTransportOptions { Engine = engine, Endpoints = { new IPEndPoint(IPAddress.Loopback, 0) } });
        Assert.Empty(transport.LocalAddresses);

        await transport.StartAsync(context, CancellationToken.None);
        IPEndPoint bound = transport.LocalAddresses[0].ToIPEndPoint();
        Assert.NotEqual(0, bound.Port);
        await transport.DisposeAsync();
        await transport.DisposeAsync();

        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        try
        {
            socket.Bind(bound);
            return true;
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.AddressAlreadyInUse)
        {
            return false;
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_transport_starts_once(CoapSocketEngine engine)
    {
        UdpTestContext context = new();
        await using CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");

        await Assert.ThrowsAsync<InvalidOperationException>(async () => await transport.StartAsync(context, CancellationToken.None));
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Sending_after_disposing_is_counted_and_does_not_throw(CoapSocketEngine engine)
    {
        UdpTestContext context = new();
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        await transport.DisposeAsync();
        using UdpTestPeer peer = new();

        transport.Send(UdpTestContext.To(peer.Address, "late"u8));
        transport.Wake();

        Assert.Equal(1, context.Counters[CoapCounter.SendErrors]);
        Assert.Single(context.Failures);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_handler_may_dispose_the_transport_and_block_until_that_is_done(CoapSocketEngine engine)
    {
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        UdpTestContext context = new(UdpTestContext.EchoAfter(_ => { }));
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        context.OnReceive = datagram =>
        {
            UserCodeScope.Enter();
            datagram.Transport!.DisposeAsync().AsTask().Wait();
            UserCodeScope.Exit();
            done.SetResult();
        };
        using UdpTestPeer peer = new();

        peer.Send("stop", At("127.0.0.1", transport));

        await done.Task.WaitAsync(Hang);
        await transport.DisposeAsync();
        await context.Threads.WhenAtMostAsync(0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_handler_may_dispose_the_transport_and_return(CoapSocketEngine engine)
    {
        TaskCompletionSource<Task> disposing = new(RunContinuationsAsynchronously);
        UdpTestContext context = new(datagram =>
        {
            UserCodeScope.Enter();
            datagram.Transport!.Send(UdpTestContext.Reply(datagram, "bye"u8));
            disposing.SetResult(datagram.Transport!.DisposeAsync().AsTask());
            UserCodeScope.Exit();
        });
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();

        peer.Send("stop", At("127.0.0.1", transport));

        await (await disposing.Task.WaitAsync(Hang)).WaitAsync(Hang);
        Assert.Equal("bye", await peer.ReceiveTextAsync());
        await context.Threads.WhenAtMostAsync(0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Disposing_does_not_wait_for_a_handler_that_never_returns(CoapSocketEngine engine)
    {
        using ManualResetEventSlim release = new();
        using ManualResetEventSlim entered = new();
        UdpTestContext context = new(UdpTestContext.EchoAfter(_ =>
        {
            entered.Set();
            release.Wait();
        }));
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();
        peer.Send("block", At("127.0.0.1", transport));
        await context.Threads.RunAsync(entered.Wait).WaitAsync(Hang);

        await transport.DisposeAsync().AsTask().WaitAsync(Hang);

        // Its late answer has nowhere to go.
        release.Set();
        await context.Threads.WhenAtMostAsync(0);
        Assert.Equal(1, context.Counters[CoapCounter.SendErrors]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_port_in_use_throws_CoapBindException_with_the_address_and_advice(CoapSocketEngine engine)
    {
        await using CoapUdpTransport first = await StartAsync(engine, new UdpTestContext(), "127.0.0.1");
        UdpTestContext context = new();
        CoapUdpTransport second = new(new CoapUdpTransportOptions
        {
            Engine = engine,
            IsServer = true,
            Endpoints = { new IPEndPoint(IPAddress.Loopback, 0), first.LocalAddresses[0].ToIPEndPoint() },
        });

        CoapBindException exception =
            await Assert.ThrowsAsync<CoapBindException>(async () => await second.StartAsync(context, CancellationToken.None));

        Assert.Equal(SocketError.AddressAlreadyInUse, exception.SocketError);
        Assert.Equal(first.LocalAddresses[0].ToIPEndPoint(), exception.Endpoint);
        exception.Mentions(first.LocalAddresses[0].ToString());
        exception.Mentions("port 0");
        await context.Threads.WhenAtMostAsync(0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_foreign_address_fails_with_AddressNotAvailable(CoapSocketEngine engine)
    {
        CoapBindException exception =
            await Assert.ThrowsAsync<CoapBindException>(() => StartAsync(engine, new UdpTestContext(), "192.0.2.77"));

        Assert.Equal(SocketError.AddressNotAvailable, exception.SocketError);
    }

    [Fact]
    public async Task Idle_clients_share_one_thread_until_the_last_client_is_disposed()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        CountingScheduler threads = new();
        System.Collections.Concurrent.ConcurrentBag<int> receivers = [];
        List<CoapUdpTransport> clients = [];
        using UdpTestPeer peer = new();
        for (int i = 0; i < 20; i++)
        {
            UdpTestContext context = new(datagram =>
            {
                receivers.Add(Environment.CurrentManagedThreadId);
                UdpTestContext.Echo(datagram);
            })
            { Threads = threads };
            context.Limits.Messages.MaxDatagramSize = 1000 + (i % 2);
            clients.Add(await StartAsync(context, new CoapUdpTransportOptions()));
        }

        Assert.Equal(1, threads.Running);
        foreach (CoapUdpTransport client in clients)
        {
            peer.Send("hello", At("127.0.0.1", client));
            Assert.Equal("hello", await peer.ReceiveTextAsync());
        }

        Assert.Single(receivers.Distinct());
        foreach (CoapUdpTransport client in clients)
        {
            await client.DisposeAsync();
        }

        await threads.WhenAtMostAsync(0);

        // And the next one starts it again.
        UdpTestContext next = new(UdpTestContext.Echo) { Threads = threads };
        await using CoapUdpTransport again = await StartAsync(next, new CoapUdpTransportOptions());
        peer.Send("again", At("127.0.0.1", again));
        Assert.Equal("again", await peer.ReceiveTextAsync());
    }

    [Fact]
    public async Task Clients_can_join_and_leave_a_shared_loop_while_others_work()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        CountingScheduler threads = new();
        await using CoapUdpTransport steady = await StartAsync(new UdpTestContext(UdpTestContext.Echo) { Threads = threads },
            new CoapUdpTransportOptions());
        using UdpTestPeer peer = new();

        for (int i = 0; i < 50; i++)
        {
            CoapUdpTransport other = await StartAsync(new UdpTestContext(UdpTestContext.Echo) { Threads = threads },
                new CoapUdpTransportOptions());
            peer.Send("steady", At("127.0.0.1", steady));
            peer.Send("other", At("127.0.0.1", other));
            Assert.Equal(["other", "steady"], await peer.ReceiveTextsAsync(2));
            await other.DisposeAsync();
        }
    }
}
