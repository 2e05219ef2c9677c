using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>One UDP socket of a transport, for the loop and the senders.</summary>
internal sealed class LinuxUdpSocket : EpollWatchedDescriptor
{
    private const uint NotADrop = 0x8000_0000;

    private LinuxUdpSocket(LinuxUdpEngine engine, int tag, Socket socket, bool dualMode)
        : base(engine.LoopTransport)
    {
        Engine = engine;
        Tag = tag;
        Socket = socket;
        Handle = socket.SafeHandle;
        Descriptor = (int)Handle.DangerousGetHandle();
        Local = UdpSockets.AddressOf(socket);
        IsIPv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        IsDualMode = dualMode;
        IsWildcard = Local.IsAny;
        Context = engine.Context;
        BatchContext = engine.Context as IDatagramPrefetchContext;
        MaxDatagramSize = engine.Context.Limits.Messages.MaxDatagramSize;
    }

    public LinuxUdpEngine Engine { get; }

    public ICoapDatagramTransportContext Context { get; }

    /// <summary>The same context, if it prepares for the datagrams of a batch.</summary>
    public IDatagramPrefetchContext? BatchContext { get; }

    /// <summary>The index of its address among those of the transport; the same for all shards.</summary>
    public int Tag { get; }

    public Socket Socket { get; }

    public SafeSocketHandle Handle { get; }

    /// <summary>For the loop, which also closes it.</summary>
    public int Descriptor { get; }

    public CoapAddress Local { get; }

    public bool IsIPv6 { get; }

    public bool IsDualMode { get; }

    public bool IsWildcard { get; }

    public int MaxDatagramSize { get; }

    // The loop's.
    public bool HasError => (Events & LibC.EpollError) != 0;

    public int Failures { get; set; }

    public uint Dropped { get; set; }

    /// <summary>Whether receiving has ended: datagrams in the batch are dropped.</summary>
    public bool IsClosing
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }

    /// <summary>Whether code that does not own the descriptor closed it.</summary>
    public bool IsLost
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>Opens, binds and configures a socket.</summary>
    /// <param name="engine">The engine.</param>
    /// <param name="tag">See <see cref="Tag"/>.</param>
    /// <param name="endpoint">The address.</param>
    /// <param name="joins">
    /// Whether it joins sockets of other shards at the same port. The first one must bind alone, or it would silently join a foreign one.
    /// </param>
    /// <returns>The socket.</returns>
    /// <exception cref="CoapBindException">It cannot be bound.</exception>
    public static LinuxUdpSocket Open(LinuxUdpEngine engine, int tag, IPEndPoint endpoint, bool joins)
    {
        bool dualMode = UdpSockets.IsDualMode(endpoint, engine.Options);
        Socket socket = UdpSockets.Bind(endpoint, dualMode, UdpSockets.IsShared(endpoint, engine.Options), socket =>
        {
            if (joins)
            {
                Set(socket, LibC.SolSocket, LibC.SoReusePort, 1);
            }

            // Without it dropped datagrams are not counted.
            TrySet(socket, LibC.SolSocket, LibC.SoReceiveQueueOverflow, 1);
            AskForBuffer(socket, engine.Context.Limits.Messages.ReceiveBufferSize);
            SetIPOptions(socket, dualMode, endpoint);
        });
        LinuxUdpSocket opened = new(engine, tag, socket, dualMode);
        UdpLog.ReceiveBufferGranted(
            engine.Context.Logger, opened.Local, GrantedBuffer(socket), engine.Context.Limits.Messages.ReceiveBufferSize);
        return opened;
    }

    /// <summary>Allows the sockets of other shards to join.</summary>
    public void AllowJoining() => Set(Socket, LibC.SolSocket, LibC.SoReusePort, 1);

    public bool CanReach(in CoapAddress remote) => remote.IsIPv4 ? IsDualMode || !IsIPv6 : IsIPv6;

    /// <summary>Whether a source must be set so that a datagram leaves from the right address.</summary>
    public bool NeedsSource(in CoapAddress local) => IsWildcard && !local.IsAny && !local.IsMulticast && (IsIPv6 || local.IsIPv4);

    public void CountDrops(uint total)
    {
        uint count = total - Dropped;
        if (count is > 0 and < NotADrop)
        {
            Dropped = total;
            Owner.Context.Counters.Add(CoapCounter.KernelDrops, count);
            UdpLog.KernelDropped(Owner.Context.Logger, count, Local);
        }
    }

    public override bool Serve(EpollLoop loop, ReceiveLoopOwnership role) => loop.Udp.Serve(role, this);

    public override int Check(EpollLoop loop) => IsClosing ? 0 : loop.Check(this, Handle, LibC.EpollIn);

    public override void OnLost(int error)
    {
        IsClosing = true;
        IsLost = true;
        Owner.Context.Fault(LostDescriptorErrors.Of($"UDP {Local}", error));
    }

    public override void Detach(EpollLoop loop) => loop.Remove(this, Handle);

    public void Close()
    {
        IsClosing = true;
        if (IsLost)
        {
            LostDescriptorErrors.Abandon(Socket);
        }
        else
        {
            Socket.Dispose();
        }
    }

    /// <summary>Restricts a socket to the groups that it joined itself, without those of other programs on the machine.</summary>
    /// <param name="socket">The socket.</param>
    /// <param name="dualMode">Whether it is an IPv6 socket that serves IPv4 too.</param>
    public static void HearOwnGroupsOnly(Socket socket, bool dualMode)
    {
        bool ipv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        if (ipv6)
        {
            TrySet(socket, LibC.SolIPv6, LibC.IPv6MulticastAll, 0);
        }

        if (!ipv6 || dualMode)
        {
            TrySet(socket, LibC.SolIP, LibC.IPMulticastAll, 0);
        }
    }

    private static void SetIPOptions(Socket socket, bool dualMode, IPEndPoint endpoint)
    {
        bool ipv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        bool wildcard = UdpSockets.IsWildcard(endpoint);
        if (ipv6)
        {
            // Without it a peer without a listener is noticed only by the retransmissions that it does not answer.
            TrySet(socket, LibC.SolIPv6, LibC.IPv6ReceiveErrors, 1);
            if (wildcard)
            {
                Set(socket, LibC.SolIPv6, LibC.IPv6ReceivePacketInfo, 1);
            }
        }

        if (!ipv6 || dualMode)
        {
            TrySet(socket, LibC.SolIP, LibC.IPReceiveErrors, 1);
        }

        HearOwnGroupsOnly(socket, dualMode);

        if (!ipv6 && wildcard)
        {
            Set(socket, LibC.SolIP, LibC.IPPacketInfo, 1);
        }
    }

    private static void AskForBuffer(Socket socket, int size)
    {
        // The forced variant may exceed the system's limit, but needs a privilege.
        if (size > 0 && !TrySet(socket, LibC.SolSocket, LibC.SoReceiveBufferForce, size))
        {
            TrySet(socket, LibC.SolSocket, LibC.SoReceiveBuffer, size);
        }
    }

    private static int GrantedBuffer(Socket socket)
    {
        // The kernel doubles the requested size for its own bookkeeping.
        int value = 0;
        socket.GetRawSocketOption(LibC.SolSocket, LibC.SoReceiveBuffer, MemoryMarshal.AsBytes(new Span<int>(ref value)));
        return value / 2;
    }

    private static bool TrySet(Socket socket, int level, int name, int value)
    {
        try
        {
            Set(socket, level, name, value);
            return true;
        }
        catch (SocketException)
        {
            // An old kernel or a missing privilege; all options set this way are optional.
            return false;
        }
    }

    private static void Set(Socket socket, int level, int name, int value) =>
        socket.SetRawSocketOption(level, name, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref value)));
}
