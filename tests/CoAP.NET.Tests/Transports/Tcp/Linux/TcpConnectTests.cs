using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class TcpConnectTests : LinuxTcpTest
{
    [LinuxFact]
    public async Task Both_ends_of_a_connection_know_both_addresses_with_IPv4_IPv6_and_a_dual_mode_socket()
    {
        foreach ((string listens, string asked) in ((string, string)[])[("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("::", "127.0.0.1"),
            ("::", "::1")])
        {
            LoopTestContext context = new();
            await using CoapTcpTransport server = await ListenAsync(context, listens);
            LoopTestContext clientContext = new() { OnFrame = static (_, frame) => frame.Dispose() };
            await using CoapTcpTransport client = await ClientAsync(clientContext);
            CoapAddress remote = CoapAddress.FromIPEndPoint(At(server, asked));

            CoapConnection ours = await client.ConnectAsync(remote, null, CancellationToken.None).AsTask().WaitAsync(Hang);
            CoapConnection theirs = await NextAsync(context.OpenedOnes);

            Assert.True(ours.IsInitiator);
            Assert.False(theirs.IsInitiator);
            Assert.Equal(remote, ours.Remote);
            Assert.Equal(remote, theirs.Local);
            Assert.Equal(ours.Local, theirs.Remote);
            Assert.Same(ours, await NextAsync(clientContext.OpenedOnes));
            Assert.Equal(CoapSocketEngine.LinuxLoop, client.Engine);
        }
    }

    [LinuxFact]
    public async Task ConnectAsync_to_a_closed_port_fails_with_ConnectFailed_and_the_error_says_that_no_server_listens()
    {
        using Socket free = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        free.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        LoopTestContext context = new();
        await using CoapTcpTransport client = await ClientAsync(context);

        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(
            () => client.ConnectAsync(CoapAddress.FromIPEndPoint((IPEndPoint)free.LocalEndPoint!), null, CancellationToken.None).AsTask()
                .WaitAsync(Hang));

        Assert.Equal(CoapError.ConnectFailed, failure.Error);
        Assert.Equal(SocketError.ConnectionRefused, Assert.IsType<SocketException>(failure.InnerException).SocketErrorCode);
        failure.Mentions("No server listens there");
        Assert.Equal(1, context.Counters[CoapCounter.ConnectionsFailed]);
    }

    [LinuxFact]
    public async Task ConnectAsync_to_a_link_local_address_without_an_interface_fails_with_ConnectFailed()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport client = await ClientAsync(context);

        // A link-local address without its interface.
        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(
            () => client.ConnectAsync(CoapAddress.FromIPEndPoint(IPEndPoint.Parse("[fe80::1]:5683")), null, CancellationToken.None).AsTask()
                .WaitAsync(Hang));

        Assert.Equal(CoapError.ConnectFailed, failure.Error);
        Assert.Equal(1, context.Counters[CoapCounter.ConnectionsFailed]);
    }

    [LinuxFact]
    public async Task ConnectAsync_to_a_silent_host_ends_by_its_caller_by_ConnectTimeout_and_by_DisposeAsync()
    {
        // When the queue of those that wait to be accepted is full, the kernel does not answer further ones.
        using Socket full = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        full.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        full.Listen(1);
        IPEndPoint to = (IPEndPoint)full.LocalEndPoint!;
        List<Socket> waiting = [];
        for (int i = 0; i < 4; i++)
        {
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            _ = socket.ConnectAsync(to).ContinueWith(static task => task.Exception, TaskScheduler.Default);
            waiting.Add(socket);
        }

        VirtualClock clock = new();
        LoopTestContext context = new() { Time = clock };
        CoapTcpTransportOptions options = new();
        options.Streams.ConnectTimeout = FromSeconds(7);
        CoapTcpTransport client = await ClientAsync(context, options);
        CoapAddress remote = CoapAddress.FromIPEndPoint(to);
        using CancellationTokenSource cancel = new();
        Task<CoapConnection> late = client.ConnectAsync(remote, null, CancellationToken.None).AsTask();
        Task<CoapConnection> cancelled = client.ConnectAsync(remote, null, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => cancelled.WaitAsync(Hang));
        Assert.False(late.IsCompleted);

        clock.Advance(FromSeconds(7));

        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(() => late.WaitAsync(Hang));
        Assert.Equal(CoapError.ConnectFailed, failure.Error);
        failure.Mentions("within 7 s");
        Assert.Equal(1, context.Counters[CoapCounter.ConnectionsFailed]);

        Task<CoapConnection> stopped = client.ConnectAsync(remote, null, CancellationToken.None).AsTask();
        await client.DisposeAsync();
        Assert.Equal(CoapError.ClosedLocally,
            (await Assert.ThrowsAsync<CoapConnectionException>(() => stopped.WaitAsync(Hang))).Error);
        waiting.ForEach(static socket => socket.Dispose());
    }

    [LinuxFact]
    public async Task ConnectAsync_fails_with_Refused_and_closes_a_connection_that_the_endpoint_does_not_accept()
    {
        LoopTestContext context = new();
        await using CoapTcpTransport server = await ListenAsync(context);
        LoopTestContext refusing = new() { OnOpened = static _ => false };
        await using CoapTcpTransport client = await ClientAsync(refusing);

        CoapConnectionException failure = await Assert.ThrowsAsync<CoapConnectionException>(
            () => client.ConnectAsync(CoapAddress.FromIPEndPoint(At(server)), null, CancellationToken.None).AsTask().WaitAsync(Hang));

        Assert.Equal(CoapError.Refused, failure.Error);
        await NextAsync(context.ClosedOnes);
        Assert.False(refusing.ClosedOnes.Reader.TryRead(out _));
    }

    [LinuxFact]
    public Task A_port_in_use_throws_CoapBindException_and_can_be_bound_again_after_disposal() =>
        Eventually.BindsAgainAsync(BindAgainAsync);

    private static async Task BindAgainAsync()
    {
        LoopTestContext context = new();
        CoapTcpTransport first = await ListenAsync(context);
        int port = first.LocalAddresses[0].Port;
        CoapBindException taken = await Assert.ThrowsAsync<CoapBindException>(() => ListenAsync(context, port: port));
        Assert.Equal(SocketError.AddressAlreadyInUse, taken.SocketError);
        taken.Mentions("TCP 127.0.0.1");

        // The side that closes first is left with the address for a minute.
        using StreamPeer peer = await ConnectAsync(first);
        await NextAsync(context.OpenedOnes);
        await first.DisposeAsync();
        Assert.Empty(await peer.ReceiveToEndAsync());
        await using CoapTcpTransport second = await ListenAsync(context, port: port);
        using StreamPeer again = await ConnectAsync(second);
        await again.SendAsync("0002");
        Assert.Equal("0002", Wire.Hex(await again.ReceiveAsync(2)));
    }
}
