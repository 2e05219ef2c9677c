using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>
/// The groups that the sockets of a transport belong to, on which interfaces. The operating system keeps a membership while an interface is
/// down, but one that is new (plugged in, made anew, addressed later) must be joined, and one that is gone takes a place of the few that a
/// socket has.
/// </summary>
internal sealed class UdpMemberships(Socket[] sockets, ICoapTransportContext context, CoapUdpTransportOptions options) : IDisposable
{
    // The platform tells of changes of IPv4 addresses only.
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(30);

    private readonly Lock _gate = new();

    // Guarded by _gate, as the rest.
    private readonly HashSet<(Socket Socket, IPAddress Group, int Index)> _joined = [];
    private bool _isFollowing;
    private ITimer? _looks;

    /// <summary>Joins where that was not done before.</summary>
    /// <param name="last">Why one could not be joined.</param>
    /// <returns>How many were joined.</returns>
    /// <exception cref="CoapException">An interface that was named does not exist.</exception>
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
                foreach (int index in UdpGroups.InterfacesFor(group, options, evenIfDown: _isFollowing))
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

            // What is down now may come up without any change of addresses: a membership waits for that.
            OnChange(null, EventArgs.Empty);
            _looks = context.TimeProvider.CreateTimer(static memberships => ((UdpMemberships)memberships!).OnChange(null, EventArgs.Empty),
                this, s_period, s_period);
        }
        catch (Exception exception) when (exception is NetworkInformationException or SocketException or PlatformNotSupportedException)
        {
            Log.InterfacesNotWatched(context.Logger, exception.Message);
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
            UdpGroups.Set(socket, group, index, SocketOptionName.AddMembership);
            if (_isFollowing)
            {
                Log.MulticastRejoined(context.Logger, group, index);
            }
            else
            {
                Log.MulticastJoined(context.Logger, group, index);
            }

            return true;
        }
        catch (SocketException exception)
        {
            _joined.Remove((socket, group, index));
            last = exception;
            if (!_isFollowing)
            {
                Log.MulticastJoinFailed(context.Logger, group, index, exception.Message);
            }

            return false;
        }
    }

    // On a thread of the platform; what it throws would end the process.
    private void OnChange(object? sender, EventArgs change)
    {
        try
        {
            lock (_gate)
            {
                HashSet<int> present = UdpGroups.Present();
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
            // One that was named is away for now, or the transport closes.
            Log.InterfacesNotReady(context.Logger, exception.Message);
        }
    }

    private void Leave(Socket socket, IPAddress group, int index)
    {
        _joined.Remove((socket, group, index));
        try
        {
            UdpGroups.Set(socket, group, index, SocketOptionName.DropMembership);
        }
        catch (SocketException)
        {
            // It went with its interface.
        }
    }
}
