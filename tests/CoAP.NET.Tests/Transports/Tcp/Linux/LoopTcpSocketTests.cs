using System.Net;
using System.Net.Sockets;
using CoAP.NET.Execution;
using CoAP.NET.Transports.Loops;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>Sockets that a loop watches for those who wait, as those below TLS.</summary>
public sealed class LoopTcpSocketTests : IAsyncLifetime
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly OpenConnectionCountdown _members = new();
    private readonly List<LoopTcpSocket> _wires = [];
    private readonly List<Socket> _peers = [];
    private TransportLoops? _loops;

    public async ValueTask InitializeAsync()
    {
        if (TransportLoops.IsSupported)
        {
            _loops = new TransportLoops(new AsyncContext(), UserCodePolicy.HandOverAfter, isServer: false);
            _loops.Start();
            await _loops.AttachAsync(0);
        }
    }

    public async ValueTask DisposeAsync()
    {
        _wires.ForEach(static wire => wire.Close());
        _members.Leave();
        await _members.Gone.WaitAsync(s_hang);
        _peers.ForEach(static peer => peer.Dispose());
        if (_loops is not null)
        {
            await _loops.DetachAsync();
            _loops.Release();
        }
    }

    [LinuxFact]
    public async Task A_waiting_reader_continues_on_the_pool_or_after_RunInline_on_the_loop()
    {
        (LoopTcpSocket wire, Socket peer) = await PairAsync();
        Task<bool> onPool = ReadAndTellAsync(wire);
        peer.Send([1]);
        Assert.True(await onPool.WaitAsync(s_hang));

        wire.RunInline();
        onPool = ReadAndTellAsync(wire);
        peer.Send([2]);
        Assert.False(await onPool.WaitAsync(s_hang));
    }

    [LinuxFact]
    public async Task WaitAsync_completes_only_when_bytes_are_available_and_reads_none_of_them()
    {
        (LoopTcpSocket wire, Socket peer) = await PairAsync();
        byte[] buffer = new byte[8];
        for (byte i = 0; i < 20; i++)
        {
            Task<int> wait = wire.WaitAsync(CancellationToken.None).AsTask();
            peer.Send([i, i]);
            Assert.Equal(0, await wait.WaitAsync(s_hang));
            Assert.Equal(0, await wire.WaitAsync(CancellationToken.None));
            Assert.Equal(2, await wire.ReadAsync(buffer, CancellationToken.None));
            Assert.Equal(i, buffer[1]);
        }

        // The event of bytes that were read at once is none for who waits afterwards.
        Task<int> none = wire.WaitAsync(CancellationToken.None).AsTask();
        (LoopTcpSocket other, Socket otherPeer) = await PairAsync();
        Task<int> served = other.ReadAsync(buffer, CancellationToken.None).AsTask();
        otherPeer.Send([1]);
        await served.WaitAsync(s_hang);
        Assert.False(none.IsCompleted);
        peer.Shutdown(SocketShutdown.Send);
        await none.WaitAsync(s_hang);
        Assert.Equal(0, await wire.ReadAsync(buffer, CancellationToken.None));
    }

    [LinuxFact]
    public async Task A_cancelled_read_takes_no_bytes_from_the_next_read()
    {
        (LoopTcpSocket wire, Socket peer) = await PairAsync();
        byte[] buffer = new byte[8];
        using CancellationTokenSource cancelled = new();
        Task<int> read = wire.ReadAsync(buffer, cancelled.Token).AsTask();
        await cancelled.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.WaitAsync(s_hang));

        peer.Send([7, 8, 9]);
        Assert.Equal(3, await wire.ReadAsync(buffer, CancellationToken.None).AsTask().WaitAsync(s_hang));
        Assert.Equal([7, 8, 9], buffer[..3]);
    }

    [LinuxFact]
    public async Task Closing_a_socket_ends_its_pending_reads_and_writes()
    {
        (LoopTcpSocket wire, _) = await PairAsync();
        Task<int> read = wire.ReadAsync(new byte[8], CancellationToken.None).AsTask();
        Task write = WriteUntilItWaits(wire);

        wire.Close();
        wire.Close();

        await Assert.ThrowsAsync<IOException>(() => read.WaitAsync(s_hang));
        await Assert.ThrowsAsync<IOException>(() => write.WaitAsync(s_hang));
        await Assert.ThrowsAsync<IOException>(() => wire.ReadAsync(new byte[8], CancellationToken.None).AsTask());
        await Assert.ThrowsAsync<IOException>(() => wire.WriteAsync(new byte[8], CancellationToken.None).AsTask());
    }

    [LinuxFact]
    public async Task A_write_waits_for_a_peer_that_does_not_read_and_then_sends_all_bytes()
    {
        const int Length = 16 * 1024 * 1024;
        (LoopTcpSocket wire, Socket peer) = await PairAsync();
        byte[] sent = new byte[Length];
        new Random(1).NextBytes(sent);
        Task write = wire.WriteAsync(sent, CancellationToken.None).AsTask();
        Assert.False(write.IsCompleted);

        byte[] received = new byte[Length];
        for (int count = 0; count < Length;)
        {
            count += await peer.ReceiveAsync(received.AsMemory(count)).AsTask().WaitAsync(s_hang);
        }

        await write.WaitAsync(s_hang);
        Assert.Equal(sent, received);
    }

    [LinuxFact]
    public async Task A_socket_with_many_bytes_to_read_lets_other_sockets_of_its_loop_be_read()
    {
        const int Many = 20_000;
        (LoopTcpSocket greedy, Socket greedyPeer) = await PairAsync();
        (LoopTcpSocket other, Socket otherPeer) = await PairAsync();
        greedy.RunInline();
        other.RunInline();
        int read = 0;
        int readAtOther = int.MaxValue;

        async Task OtherAsync()
        {
            await other.ReadAsync(new byte[1], CancellationToken.None).ConfigureAwait(false);
            Volatile.Write(ref readAtOther, Volatile.Read(ref read));
        }

        async Task GreedyAsync()
        {
            byte[] one = new byte[1];
            for (int i = 0; i < Many; i++)
            {
                await greedy.ReadAsync(one, CancellationToken.None).ConfigureAwait(false);
                if (Interlocked.Increment(ref read) == 1)
                {
                    // The loop is in its turn from here on, and everything else is there to be read.
                    otherPeer.Send([1]);
                }
            }
        }

        Task others = OtherAsync();
        Task all = GreedyAsync();
        greedyPeer.Send(new byte[Many]);
        await all.WaitAsync(s_hang);
        await others.WaitAsync(s_hang);
        Assert.InRange(readAtOther, 1, Many / 2);
    }

    [LinuxFact]
    public async Task ConnectAsync_completes_for_a_listening_port_and_throws_SocketException_for_a_closed_port()
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        CoapAddress address = CoapAddress.FromIPEndPoint((IPEndPoint)listener.LocalEndPoint!);
        await Assert.ThrowsAsync<SocketException>(() => Connect(address).ConnectAsync(address, CancellationToken.None).WaitAsync(s_hang));

        listener.Listen();
        for (int i = 0; i < 100; i++)
        {
            LoopTcpSocket wire = Connect(address);
            await wire.ConnectAsync(address, CancellationToken.None).WaitAsync(s_hang);
            wire.Close();
        }
    }

    private static async Task<bool> ReadAndTellAsync(LoopTcpSocket wire)
    {
        await wire.ReadAsync(new byte[1], CancellationToken.None).ConfigureAwait(false);
        return Thread.CurrentThread.IsThreadPoolThread;
    }

    private static Task WriteUntilItWaits(LoopTcpSocket wire)
    {
        byte[] bytes = new byte[1024 * 1024];
        while (true)
        {
            Task write = wire.WriteAsync(bytes, CancellationToken.None).AsTask();
            if (!write.IsCompleted)
            {
                return write;
            }
        }
    }

    private LoopTcpSocket Connect(in CoapAddress address)
    {
        SocketHandle handle = TcpSockets.Connect(address, null);
        LoopTcpSocket wire = new(_loops!.Owner, _loops.All[0], handle, handle, _members);
        _wires.Add(wire);
        return wire;
    }

    private async Task<(LoopTcpSocket Wire, Socket Peer)> PairAsync()
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        CoapAddress address = CoapAddress.FromIPEndPoint((IPEndPoint)listener.LocalEndPoint!);
        LoopTcpSocket wire = Connect(address);
        Socket peer = await listener.AcceptAsync().WaitAsync(s_hang);
        peer.NoDelay = true;
        _peers.Add(peer);
        await wire.ConnectAsync(address, CancellationToken.None).WaitAsync(s_hang);
        return (wire, peer);
    }
}
