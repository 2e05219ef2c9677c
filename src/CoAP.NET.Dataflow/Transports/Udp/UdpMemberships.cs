using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>
/// The group memberships of a transport's sockets by interface. The operating system keeps a membership while an interface is down. But a
/// new interface (plugged in, recreated, addressed later) must be joined, and a removed one occupies one of the few places of a socket.
/// </summary>
internal sealed class UdpMemberships(Socket[] sockets, ICoapTransportContext context, CoapUdpTransportOptions options) : IDisposable
{
    // The platform reports changes of IPv4 addresses only.
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();

    // Guarded by _gate, as the rest.
    private readonly HashSet<(Socket Socket, IPAddress Group, int Index)> _joined = [];
    private bool _isFollowing;
    private ITimer? _looks;

    /// <summary>Joins the missing memberships.</summary>
    /// <param name="last">The last error.</param>
    /// <returns>The number of new memberships.</returns>
    /// <exception cref="CoapException">A named interface does not exist.</exception>
    public int JoinAll(out SocketException? last)
    {
        int joined = 0;
        last = null;
        foreach (Socket socket in sockets)
        {
            bool ipv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
            bool ipv4 = !ipv6 || socket.DualMode;
            foreach (IPAddress group in options.MulticastGroups.Where(group => group.AddressFamily == AddressFamily.InterNetworkV6
                ? ipv6
                : ipv4))
            {
                foreach (int index in UdpGroupManager.InterfacesFor(group, options, evenIfDown: _isFollowing))
                {
                    joined += Join(socket, group, index, ref last) ? 1 : 0;
                }
            }
        }

        return joined;
    }

    /// <summary>Joins again when interfaces change.</summary>
    public void Follow()
    {
        try
        {
            NetworkChange.NetworkAddressChanged += OnChange;
            _isFollowing = true;

            // An interface that is down now may come up without any change of addresses: a membership waits for that.
            OnChange(null, EventArgs.Empty);
            _looks = context.TimeProvider.CreateTimer(static memberships => ((UdpMemberships)memberships!).OnChange(null, EventArgs.Empty),
                this, s_period, s_period);
        }
        catch (Exception exception) when (exception is NetworkInformationException or SocketException or PlatformNotSupportedException)
        {
            UdpLog.InterfacesNotWatched(context.Logger, exception.Message);
        }
    }

    public void Dispose()
    {
        if (_isFollowing)
        {
            _looks?.Dispose();
            NetworkChange.NetworkAddressChanged -= OnChange;
        }
    }

    private bool Join(Socket socket, IPAddress group, int index, ref SocketException? last)
    {
        if (!_joined.Add((socket, group, index)))
        {
            return false;
        }

        try
        {
            UdpGroupManager.Set(socket, group, index, SocketOptionName.AddMembership);
            if (_isFollowing)
            {
                UdpLog.MulticastRejoined(context.Logger, group, index);
            }
            else
            {
                UdpLog.MulticastJoined(context.Logger, group, index);
            }

            return true;
        }
        catch (SocketException exception)
        {
            _joined.Remove((socket, group, index));
            last = exception;
            if (!_isFollowing)
            {
                UdpLog.MulticastJoinFailed(context.Logger, group, index, exception.Message);
            }

            return false;
        }
    }

    // On a thread of the platform, where an exception would end the process.
    private void OnChange(object? sender, EventArgs change)
    {
        try
        {
            lock (_gate)
            {
                HashSet<int> present = UdpGroupManager.Present();
                foreach ((Socket Socket, IPAddress Group, int Index) gone in _joined.Where(one => !present.Contains(one.Index)).ToArray())
                {
                    Leave(gone.Socket, gone.Group, gone.Index);
                }

                JoinAll(out _);
            }
        }
        catch (Exception exception)
            when (exception is CoapException or NetworkInformationException or SocketException or ObjectDisposedException)
        {
            // A named interface is absent for now, or the transport closes.
            UdpLog.InterfacesNotReady(context.Logger, exception.Message);
        }
    }

    private void Leave(Socket socket, IPAddress group, int index)
    {
        _joined.Remove((socket, group, index));
        try
        {
            UdpGroupManager.Set(socket, group, index, SocketOptionName.DropMembership);
        }
        catch (SocketException)
        {
            // It disappeared with its interface.
        }
    }
}
