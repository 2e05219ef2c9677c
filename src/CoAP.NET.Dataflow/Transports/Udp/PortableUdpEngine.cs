using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// UDP with the calls of <see cref="Socket"/>: a loop with a thread of its own for each socket, and each datagram sent at once.
/// </summary>
internal sealed class PortableUdpEngine : UdpEngine
{
    // The maximum number of local addresses with a socket of their own for answers; beyond it the operating system chooses.
    private const int MaxSiblings = 64;

    /// <summary>
    /// For tests: <see cref="CoapSocketEngine.Portable"/> with two sockets in place of one for both IP versions, as on Apple systems.
    /// </summary>
    internal const CoapSocketEngine WithTwoSockets = (CoapSocketEngine)(-1);

    // How often a port that is free for IPv6 may be taken for IPv4. Systems choose free ports from some ten thousand.
    private const int MaxPorts = 100;

    private readonly Lock _gate = new();
    private readonly List<PortableUdpSocket> _all = [];
    private PortableUdpSocket[] _sockets = [];
    private bool _isClosing;

    public PortableUdpEngine(CoapTransport transport, ICoapDatagramTransportContext context, CoapUdpTransportOptions options)
        : base(transport, context, options)
    {
        Pool = new CoapDatagramPool(context.Limits.Messages.MaxDatagramSize);
    }

    public override CoapSocketEngine Kind => CoapSocketEngine.Portable;

    public CoapDatagramPool Pool { get; }

    public override Task StartAsync()
    {
        List<PortableUdpSocket> sockets = [];
        foreach (IPEndPoint endpoint in UdpSockets.EndpointsOf(Options))
        {
            bool dualMode = UdpSockets.IsDualMode(endpoint, Options);
            PortableUdpSocket socket = dualMode && (Options.Engine == WithTwoSockets || !UdpSockets.BothVersionsProvideLocalAddress)
                ? OpenTwo(sockets.Count, endpoint)
                : Open(sockets.Count, endpoint, endpoint, dualMode);
            sockets.Add(socket);
            UdpLog.UdpBound(Context.Logger, socket.Local, Kind, socket.IPv4 is null ? 1 : 2);
        }

        Memberships = UdpGroupManager.Join(_all.Select(static socket => socket.Socket), Context, Options);
        _sockets = [.. sockets];
        LocalAddresses = [.. sockets.Select(socket => socket.Local)];
        foreach (PortableUdpSocket socket in _all.ToArray())
        {
            if (!socket.Loop.TryStart())
            {
                throw new CoapException(
                    "No thread is left for the receive loop: too many of the library's threads are blocked by handlers. Handlers should "
                        + "await instead of blocking.");
            }

            socket.IsStarted = true;
        }

        return Task.CompletedTask;
    }

    public override void Send(CoapDatagram datagram)
    {
        SocketException? error = null;
        try
        {
            if (Select(datagram.Remote, datagram.TransportTag) is { } socket)
            {
                SocketFor(socket, datagram.Local).Send(datagram);
            }
            else
            {
                error = new SocketException((int)SocketError.AddressFamilyNotSupported);
            }
        }
        catch (SocketException exception)
        {
            error = exception;
        }
        catch (ObjectDisposedException)
        {
            error = new SocketException((int)SocketError.Shutdown);
        }

        if (error is null)
        {
            datagram.Dispose();
        }
        else
        {
            Fail(datagram, error);
        }
    }

    protected override void OnLost(CoapDatagram datagram, SocketException error)
    {
        if (Select(datagram.Remote, datagram.TransportTag) is { IsClosing: false } socket)
        {
            SocketFor(socket, datagram.Local).OnLost(error);
        }
    }

    protected override async Task CloseAsync()
    {
        Memberships?.Dispose();
        PortableUdpSocket[] sockets;
        lock (_gate)
        {
            _isClosing = true;
            sockets = [.. _all];
        }

        foreach (PortableUdpSocket socket in sockets)
        {
            socket.Close();
        }

        foreach (PortableUdpSocket socket in sockets)
        {
            // A socket that other code closed may wait for a last datagram; its thread is not awaited.
            if (socket is { IsStarted: true, IsLost: false })
            {
                await socket.Loop.Ended.ConfigureAwait(false);
            }
        }
    }

    private PortableUdpSocket Open(int tag, IPEndPoint endpoint, IPEndPoint configured, bool dualMode)
    {
        // A client sends and receives where the system's routes lead. What it receives at all its addresses is an answer.
        bool tellsLocal = Options.IsServer || configured.Port != 0 || Options.MulticastGroups.Count > 0;
        PortableUdpSocket socket = PortableUdpSocket.Open(
            this, tag, endpoint, dualMode, UdpSockets.IsShared(configured, Options), joins: false, tellsLocal);
        lock (_gate)
        {
            _all.Add(socket);
        }

        return socket;
    }

    // The two have one port. Above them they are one socket for both versions, with one tag and one address.
    private PortableUdpSocket OpenTwo(int tag, IPEndPoint endpoint)
    {
        for (int attempt = 1; ; attempt++)
        {
            PortableUdpSocket ipv6 = Open(tag, endpoint, endpoint, dualMode: false);
            try
            {
                ipv6.IPv4 = Open(tag, new IPEndPoint(IPAddress.Any, ipv6.Local.Port), endpoint, dualMode: false);
                return ipv6;
            }
            catch (CoapBindException exception) when (exception.SocketError == SocketError.AddressAlreadyInUse
                && endpoint.Port == 0 && attempt < MaxPorts)
            {
                lock (_gate)
                {
                    _all.Remove(ipv6);
                }

                ipv6.Close();
            }
        }
    }

    private PortableUdpSocket? Select(in CoapAddress remote, int tag)
    {
        PortableUdpSocket[] sockets = _sockets;
        if ((uint)tag < (uint)sockets.Length && sockets[tag].For(remote) is { } own)
        {
            return own;
        }

        foreach (PortableUdpSocket socket in sockets)
        {
            if (socket.For(remote) is { } other)
            {
                return other;
            }
        }

        return null;
    }

    /// <summary>
    /// A socket cannot set the source of a single datagram here. An answer from one of the addresses behind the wildcard therefore leaves
    /// by a socket that is bound to just that address. From then on, that socket also receives the datagrams to the address.
    /// </summary>
    private PortableUdpSocket SocketFor(PortableUdpSocket wildcard, in CoapAddress local)
    {
        if (!wildcard.IsWildcard || local.IsAny || local.IsMulticast)
        {
            return wildcard;
        }

        CoapAddress key = local with { Port = wildcard.Local.Port };
        return wildcard.Siblings.TryGetValue(key, out PortableUdpSocket? sibling) ? sibling : OpenSibling(wildcard, key);
    }

    private PortableUdpSocket OpenSibling(PortableUdpSocket wildcard, CoapAddress local)
    {
        lock (_gate)
        {
            if (wildcard.Siblings.TryGetValue(local, out PortableUdpSocket? known))
            {
                return known;
            }

            if (_isClosing || wildcard.Siblings.Count >= MaxSiblings)
            {
                return wildcard;
            }

            PortableUdpSocket? sibling = null;
            try
            {
                wildcard.AllowJoining(true);
                IPEndPoint endpoint = local.ToIPEndPoint();
                sibling = PortableUdpSocket.Open(this, wildcard.Tag, endpoint, dualMode: false,
                    UdpSockets.IsShared(endpoint, Options), joins: true, tellsLocal: false);
                sibling.AllowJoining(false);
            }
            catch (CoapBindException)
            {
                // The operating system then chooses the source, which is the same on a host with one address.
            }
            finally
            {
                wildcard.AllowJoining(false);
            }

            if (sibling is not null && !sibling.Loop.TryStart())
            {
                sibling.Close();
                sibling = null;
            }

            if (sibling is not null)
            {
                sibling.IsStarted = true;
                _all.Add(sibling);
            }

            wildcard.Siblings[local] = sibling ?? wildcard;
            return sibling ?? wildcard;
        }
    }
}
