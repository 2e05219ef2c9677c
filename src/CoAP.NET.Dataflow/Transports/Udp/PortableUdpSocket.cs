using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>A UDP socket of .NET, for platforms without the Linux loops.</summary>
internal sealed class PortableUdpSocket
{
    private const int WindowsNoConnectionReset = unchecked((int)0x9800000C);

    [ThreadStatic]
    private static SocketAddress? t_ipv4;

    [ThreadStatic]
    private static SocketAddress? t_ipv6;

    private readonly Lock _groupGate = new();

    private PortableUdpSocket(PortableUdpEngine owner, int tag, Socket socket, bool dualMode, bool tellsLocal)
    {
        Owner = owner;
        Tag = tag;
        Socket = socket;
        Local = UdpSockets.AddressOf(socket);
        IsIPv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        IsDualMode = dualMode;
        IsWildcard = Local.IsAny;
        ProvidesLocalAddress = tellsLocal;
        Loop = new PortableLoop(this);
    }

    public PortableUdpEngine Owner { get; }

    public int Tag { get; }

    public Socket Socket { get; }

    public CoapAddress Local { get; }

    public bool IsIPv6 { get; }

    public bool IsDualMode { get; }

    public bool IsWildcard { get; }

    /// <summary>
    /// Whether the system reports to which of the addresses behind the wildcard a datagram was sent. .NET makes objects for each then.
    /// </summary>
    public bool ProvidesLocalAddress { get; }

    /// <summary>The socket for IPv4 beside this one for IPv6, where one for both is not possible.</summary>
    public PortableUdpSocket? IPv4 { get; set; }

    public PortableLoop Loop { get; }

    public bool IsStarted { get; set; }

    /// <summary>Whether code that does not own the descriptor closed it.</summary>
    public bool IsLost
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    public bool IsClosing
    {
        get => Volatile.Read(ref field);
        private set => Volatile.Write(ref field, value);
    }

    /// <summary>The sockets for answers by local address; this one itself if no other could be bound.</summary>
    public ConcurrentDictionary<CoapAddress, PortableUdpSocket> Siblings { get; } = new();

    /// <summary>Opens, binds and configures a socket.</summary>
    /// <param name="owner">The engine.</param>
    /// <param name="tag">The index of its address among those of the transport.</param>
    /// <param name="endpoint">The address.</param>
    /// <param name="dualMode">Whether <c>[::]</c> serves IPv4 too.</param>
    /// <param name="shared">Whether other programs may bind the same address.</param>
    /// <param name="joins">Whether it joins a wildcard socket with its port.</param>
    /// <param name="tellsLocal">See <see cref="ProvidesLocalAddress"/>; without effect for a single address.</param>
    /// <exception cref="CoapBindException">It cannot be bound.</exception>
    public static PortableUdpSocket Open(
        PortableUdpEngine owner, int tag, IPEndPoint endpoint, bool dualMode, bool shared, bool joins, bool tellsLocal)
    {
        int size = owner.Context.Limits.Messages.ReceiveBufferSize;
        tellsLocal &= UdpSockets.IsWildcard(endpoint);
        Socket socket = UdpSockets.Bind(endpoint, dualMode, shared, socket =>
        {
            if (joins)
            {
                SetJoining(socket, true);
            }

            AskForBuffer(socket, size);
            if (OperatingSystem.IsWindows())
            {
                // Otherwise an ICMP error of one peer would make the receive call fail for all.
                socket.IOControl(WindowsNoConnectionReset, [0], null);
            }

            if (OperatingSystem.IsLinux())
            {
                // Otherwise it receives from groups that other programs on this machine joined.
                LinuxUdpSocket.HearOwnGroupsOnly(socket, dualMode);
            }

            bool ipv6 = endpoint.AddressFamily == AddressFamily.InterNetworkV6;
            if (tellsLocal && ipv6)
            {
                socket.SetSocketOption(SocketOptionLevel.IPv6, SocketOptionName.PacketInformation, true);
            }

            if (tellsLocal && (!ipv6 || dualMode))
            {
                socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.PacketInformation, true);
            }
        });
        PortableUdpSocket opened = new(owner, tag, socket, dualMode, tellsLocal);
        UdpLog.ReceiveBufferGranted(owner.Context.Logger, opened.Local, socket.ReceiveBufferSize, size);
        return opened;
    }

    /// <summary>Returns the one of this and <see cref="IPv4"/> that can reach a peer; null for none.</summary>
    public PortableUdpSocket? For(in CoapAddress remote) =>
        (remote.IsIPv4 ? IsDualMode || !IsIPv6 : IsIPv6) ? this : remote.IsIPv4 ? IPv4 : null;

    /// <summary>
    /// Allows sockets with a specific address to join the wildcard at its port for a moment; at other times foreign sockets must not.
    /// </summary>
    public void AllowJoining(bool allowed) => SetJoining(Socket, allowed || Owner.Options.SharePort);

    public void Send(CoapDatagram datagram)
    {
        if (datagram.Remote.IsMulticast)
        {
            SendToGroup(datagram);
        }
        else
        {
            SendTo(datagram);
        }
    }

    // Interface and hop limit are settings of the socket here, not of the datagram.
    private void SendToGroup(CoapDatagram datagram)
    {
        lock (_groupGate)
        {
            SocketOptionLevel level = datagram.Remote.IsIPv4 ? SocketOptionLevel.IP : SocketOptionLevel.IPv6;
            int index = (int)datagram.Remote.ScopeId;
            Socket.SetSocketOption(level, SocketOptionName.MulticastInterface,
                level == SocketOptionLevel.IP ? IPAddress.HostToNetworkOrder(index) : index);
            Socket.SetSocketOption(level, SocketOptionName.MulticastTimeToLive, Math.Max((byte)1, datagram.HopLimit));
            SendTo(datagram);
        }
    }

    private void SendTo(CoapDatagram datagram)
    {
        SocketAddress to = IsIPv6
            ? t_ipv6 ??= new SocketAddress(AddressFamily.InterNetworkV6)
            : t_ipv4 ??= new SocketAddress(AddressFamily.InterNetwork);
        SockaddrConverter.Write(to.Buffer.Span, datagram.Remote, IsIPv6);
        Socket.SendTo(datagram.Span, SocketFlags.None, to);
    }

    public void Close()
    {
        IsClosing = true;
        if (IsLost)
        {
            LostDescriptorErrors.Abandon(Socket);
        }
        else
        {
            if (IsStarted)
            {
                UdpSockets.EndReceive(Socket);
            }

            Socket.Dispose();
        }
    }

    public void OnLost(SocketException error)
    {
        if (!IsClosing)
        {
            IsLost = true;
            Owner.Context.Fault(LostDescriptorErrors.Of($"UDP {Local}", error));
        }
    }

    // Linux and Windows grant their limit to who asks for more. BSD and with it Apple systems refuse.
    private static void AskForBuffer(Socket socket, int size)
    {
        for (; size > 0; size /= 2)
        {
            try
            {
                socket.ReceiveBufferSize = size;
                return;
            }
            catch (SocketException exception)
                when (exception.SocketErrorCode is SocketError.NoBufferSpaceAvailable or SocketError.InvalidArgument)
            {
            }
        }
    }

    private static void SetJoining(Socket socket, bool allowed)
    {
        // On Windows a specific address and the wildcard never conflict, and the flag would let in any program.
        if (!OperatingSystem.IsWindows())
        {
            socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, allowed);
        }
    }
}
