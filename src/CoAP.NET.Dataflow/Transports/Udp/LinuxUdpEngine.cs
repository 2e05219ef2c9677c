using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>UDP with loops of recvmmsg, sendmmsg and epoll: one per shard for a server, one shared loop for clients.</summary>
internal sealed class LinuxUdpEngine : UdpEngine
{
    private readonly TransportLoops _loops;
    private LinuxUdpSocket[][] _sockets = [];

    public LinuxUdpEngine(CoapTransport transport, ICoapDatagramTransportContext context, CoapUdpTransportOptions options)
        : base(transport, context, options) =>
        _loops = new TransportLoops(context, options.HandOverAfter, options.IsServer);

    /// <summary>Whether system and machine support the calls and the layout of their structures.</summary>
    public static bool IsSupported => TransportLoops.IsSupported;

    public override CoapSocketEngine Kind => CoapSocketEngine.LinuxLoop;

    public override bool DrivesClock => _loops.DrivesClock;

    public EpollTransportContext LoopTransport => _loops.Owner;

    public override async Task StartAsync()
    {
        Bind(Options.IsServer ? Math.Max(1, Context.ShardCount) : 1);
        _loops.Start();
        for (int i = 0; i < _sockets.Length; i++)
        {
            await _loops.AttachAsync(
                i, [.. _sockets[i].Select(static socket => ((EpollWatchedDescriptor)socket, (SafeHandle)socket.Handle))])
                .ConfigureAwait(false);
        }
    }

    public override void Send(CoapDatagram datagram)
    {
        // A loop of another endpoint may send it too: a proxy sends each request and each answer from the loop of the other side.
        if (UserCodeScope.Role is not ReceiveLoopOwnership { Loop: EpollLoop loop } role || !TrySendBatched(role, loop, datagram))
        {
            SendDirectly(datagram);
        }
    }

    public override void Wake() => _loops.Wake();

    protected override async Task CloseAsync()
    {
        SendBatchOfCaller();
        Memberships?.Dispose();
        foreach (LinuxUdpSocket[] sockets in _sockets)
        {
            foreach (LinuxUdpSocket socket in sockets)
            {
                // From here on datagrams that wait in a batch of another loop are dropped.
                socket.IsClosing = true;
            }
        }

        await _loops.DetachAsync().ConfigureAwait(false);
        _loops.Release();
        foreach (LinuxUdpSocket[] sockets in _sockets)
        {
            foreach (LinuxUdpSocket socket in sockets)
            {
                socket.Close();
            }
        }
    }

    protected override void OnLost(CoapDatagram datagram, SocketException error)
    {
        // During closing the library itself causes this.
        if (Select(ShardFor(datagram.Remote), datagram.Remote, datagram.TransportTag) is { IsClosing: false } socket)
        {
            socket.OnLost(LibC.EBADF);
        }
    }

    private void Bind(int shards)
    {
        IReadOnlyList<IPEndPoint> endpoints = UdpSockets.EndpointsOf(Options);
        List<LinuxUdpSocket>[] sockets = [.. Enumerable.Range(0, shards).Select(_ => new List<LinuxUdpSocket>())];
        try
        {
            for (int tag = 0; tag < endpoints.Count; tag++)
            {
                LinuxUdpSocket first = LinuxUdpSocket.Open(this, tag, endpoints[tag], joins: false);
                sockets[0].Add(first);
                if (shards > 1)
                {
                    first.AllowJoining();
                }

                IPEndPoint bound = (IPEndPoint)first.Socket.LocalEndPoint!;
                for (int shard = 1; shard < shards; shard++)
                {
                    sockets[shard].Add(LinuxUdpSocket.Open(this, tag, bound, joins: true));
                }

                UdpLog.UdpBound(Context.Logger, first.Local, Kind, shards);
            }

            // Only on the sockets of the first shard, because otherwise each shard would receive datagrams to a group.
            Memberships = UdpGroupManager.Join(sockets[0].Select(static socket => socket.Socket), Context, Options);
        }
        finally
        {
            // Even if one failed: closing finds them here.
            _sockets = [.. sockets.Select(list => list.ToArray())];
        }

        LocalAddresses = [.. _sockets[0].Select(socket => socket.Local)];
    }

    private bool TrySendBatched(ReceiveLoopOwnership role, EpollLoop loop, CoapDatagram datagram)
    {
        bool isOwn = _loops.Has(loop);
        int shard = isOwn ? loop.Index : ShardFor(datagram.Remote);
        if (datagram.Length > SendBatch.MaxLength
            || Select(shard, datagram.Remote, datagram.TransportTag) is not { IsClosing: false } socket
            || !role.BlockHandOver(out bool pinned))
        {
            return false;
        }

        List<SendFailure>? failures = null;
        loop.Udp.Send(socket, datagram, !isOwn, ref failures);
        if (pinned)
        {
            role.Unpin();
        }

        datagram.Dispose();
        SendFailure.Report(failures);
        return true;
    }

    // User code on the loop of another endpoint may close this one: what it has sent until then, such as the alert that ends a session,
    // waits in that loop's batch, and would be lost with the socket.
    private static void SendBatchOfCaller()
    {
        List<SendFailure>? failures = null;
        if (UserCodeScope.Role is ReceiveLoopOwnership { Loop: EpollLoop loop } role && role.BlockHandOver(out bool pinned))
        {
            loop.Udp.Flush(ref failures);
            if (pinned)
            {
                role.Unpin();
            }
        }

        SendFailure.Report(failures);
    }

    private int ShardFor(in CoapAddress remote) => _sockets.Length > 1 ? Context.ShardOf(remote) : 0;

    private void SendDirectly(CoapDatagram datagram)
    {
        // The same peer uses the same socket, so its datagrams stay in order.
        LinuxUdpSocket? socket = Select(ShardFor(datagram.Remote), datagram.Remote, datagram.TransportTag);
        if (socket is null)
        {
            Fail(datagram, new SocketException((int)SocketError.AddressFamilyNotSupported));
            return;
        }

        int error;
        try
        {
            error = socket.IsLost ? LibC.EBADF : SendBatch.SendNow(socket, datagram);
        }
        catch (ObjectDisposedException)
        {
            Fail(datagram, new SocketException((int)SocketError.Shutdown));
            return;
        }

        if (error != 0)
        {
            Fail(datagram, LinuxErrors.ToException(error));
            return;
        }

        datagram.Dispose();
    }

    /// <summary>
    /// Returns the socket with the tag, or one of the right IP version if that cannot reach the peer, for example for a first request from
    /// an endpoint with several addresses.
    /// </summary>
    private LinuxUdpSocket? Select(int shard, in CoapAddress remote, int tag)
    {
        LinuxUdpSocket[] sockets = _sockets[shard];
        if ((uint)tag < (uint)sockets.Length && sockets[tag].CanReach(remote))
        {
            return sockets[tag];
        }

        foreach (LinuxUdpSocket socket in sockets)
        {
            if (socket.CanReach(remote))
            {
                return socket;
            }
        }

        return null;
    }
}
