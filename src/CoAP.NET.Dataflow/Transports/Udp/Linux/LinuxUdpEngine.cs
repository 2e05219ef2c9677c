using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>UDP by loops of recvmmsg, sendmmsg and epoll: for a server one loop for each shard, for clients one that they share.</summary>
internal sealed class LinuxUdpEngine : UdpEngine
{
    private static readonly Lazy<bool> s_supported = new(TryCalls);

    private readonly List<EpollLoop> _started = [];
    private EpollLoop[] _loops = [];
    private LinuxUdpSocket[][] _sockets = [];
    private SharedLoop? _shared;
    private LoopClock? _clock;

    public LinuxUdpEngine(CoapTransport transport, CoapTransportContext context, CoapUdpTransportOptions options)
        : base(transport, context, options)
    {
    }

    /// <summary>Whether system and machine are such that the calls and the layout of their structures are known.</summary>
    public static bool IsSupported => s_supported.Value;

    public override CoapUdpEngine Kind => CoapUdpEngine.LinuxLoop;

    // A clock that is not the system's is not driven by real time.
    public override bool DrivesClock => ReferenceEquals(Context.TimeProvider, TimeProvider.System);

    public override async Task StartAsync()
    {
        Bind(Options.IsServer ? Math.Max(1, Context.ShardCount) : 1);
        StartLoops();
        _clock = DrivesClock ? new LoopClock(this) : null;
        for (int i = 0; i < _loops.Length; i++)
        {
            await _loops[i].AttachAsync(this, _sockets[i], i == 0 ? _clock : null).ConfigureAwait(false);
        }
    }

    public override void Send(CoapDatagram datagram)
    {
        if (UserCode.Role is ReceiveRole { Loop: EpollLoop loop } role && loop.Index < _loops.Length && _loops[loop.Index] == loop)
        {
            if (TrySendBatched(role, loop, datagram))
            {
                return;
            }
        }

        SendDirectly(datagram);
    }

    public override void Wake()
    {
        if (_clock is { } clock)
        {
            _loops[0].Wake(clock);
        }
    }

    protected override async Task CloseAsync()
    {
        foreach (LinuxUdpSocket[] sockets in _sockets)
        {
            foreach (LinuxUdpSocket socket in sockets)
            {
                // What waits in a batch is dropped from here on.
                socket.IsClosing = true;
            }
        }

        foreach (EpollLoop loop in _started)
        {
            await loop.DetachAsync(this, _clock).ConfigureAwait(false);
        }

        _shared?.Release();
        foreach (LinuxUdpSocket[] sockets in _sockets)
        {
            foreach (LinuxUdpSocket socket in sockets)
            {
                socket.Close();
            }
        }
    }

    private static bool TryCalls()
    {
        if (!OperatingSystem.IsLinux() || RuntimeInformation.ProcessArchitecture is not (Architecture.X64 or Architecture.Arm64))
        {
            return false;
        }

        try
        {
            using Microsoft.Win32.SafeHandles.SafeFileHandle epoll = LibC.CreateEpoll();
            using Microsoft.Win32.SafeHandles.SafeFileHandle signal = LibC.CreateEvent();
            return !epoll.IsInvalid && !signal.IsInvalid;
        }
        catch (Exception exception) when (exception is DllNotFoundException or EntryPointNotFoundException)
        {
            return false;
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

                Log.UdpBound(Context.Logger, first.Local, Kind, shards);
            }

            // Only the first shard's: what is sent to a group would otherwise come to each of them.
            UdpGroups.Join(sockets[0].Select(static socket => socket.Socket), Context, Options);
        }
        finally
        {
            // Also when one failed: closing finds them here.
            _sockets = [.. sockets.Select(list => list.ToArray())];
        }

        LocalAddresses = [.. _sockets[0].Select(socket => socket.Local)];
    }

    private void StartLoops()
    {
        if (!Options.IsServer)
        {
            SharedLoop shared = SharedLoop.Of(Context.Scheduler);
            EpollLoop loop = shared.Acquire() ?? throw NoThread();
            _shared = shared;
            _started.Add(loop);
        }

        while (_started.Count < _sockets.Length)
        {
            EpollLoop loop = new(Context.Scheduler, _started.Count, null);
            if (!loop.TryStart())
            {
                loop.Close();
                throw NoThread();
            }

            _started.Add(loop);
        }

        _loops = [.. _started];
    }

    private static CoapException NoThread() =>
        new("No thread is left for the receive loop: too many of the library's threads are blocked by handlers. Handlers should await instead of blocking.");

    private bool TrySendBatched(ReceiveRole role, EpollLoop loop, CoapDatagram datagram)
    {
        if (datagram.Length > SendBatch.MaxLength
            || Select(loop.Index, datagram.Remote, datagram.TransportTag) is not { IsClosing: false } socket
            || !role.TryPin(out bool pinned))
        {
            return false;
        }

        List<SendFailure>? failures = null;
        loop.Send(socket, datagram, ref failures);
        if (pinned)
        {
            role.Unpin();
        }

        datagram.Dispose();
        if (failures is not null)
        {
            SendFailure.Report(failures);
        }

        return true;
    }

    private void SendDirectly(CoapDatagram datagram)
    {
        // The same peer goes through the same socket, so that its datagrams stay in order.
        int shard = _sockets.Length > 1 ? Context.ShardOf(datagram.Remote) : 0;
        LinuxUdpSocket? socket = Select(shard, datagram.Remote, datagram.TransportTag);
        if (socket is null)
        {
            Fail(datagram, new SocketException((int)SocketError.AddressFamilyNotSupported));
            return;
        }

        int error;
        try
        {
            error = SendBatch.SendNow(socket, datagram);
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

    /// <summary>The socket with the tag; one of the right IP version when that cannot reach the peer, as for a first request from an endpoint that is bound to several addresses.</summary>
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
