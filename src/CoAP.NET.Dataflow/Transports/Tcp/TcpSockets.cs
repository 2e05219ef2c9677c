using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Tcp;

/// <summary>Opens non-blocking TCP sockets with raw calls.</summary>
internal static unsafe class TcpSockets
{
    private const int AddressSize = 128; // struct sockaddr_storage

    /// <summary>Opens a listening socket.</summary>
    /// <exception cref="CoapBindException">It cannot be bound.</exception>
    public static SocketHandle Listen(IPEndPoint endpoint, CoapTcpTransportOptions options)
    {
        bool ipv6 = endpoint.AddressFamily == AddressFamily.InterNetworkV6;
        SocketHandle? socket = null;
        try
        {
            socket = Open(ipv6);

            // Connections of an earlier run of the server that remain in the kernel must not prevent the start.
            Set(socket, LibC.SolSocket, LibC.SoReuseAddress, 1);
            if (ipv6)
            {
                Set(socket, LibC.SolIPv6, LibC.IPv6Only, options.DualMode && endpoint.Address.Equals(IPAddress.IPv6Any) ? 0 : 1);
            }

            byte* address = stackalloc byte[AddressSize];
            uint length = Write(address, CoapAddress.FromIPEndPoint(endpoint), ipv6);
            Check(LibC.Bind(socket.Descriptor, address, length));
            Check(LibC.Listen(socket.Descriptor, options.Backlog));
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw new CoapBindException("TCP", endpoint, exception);
        }
    }

    /// <summary>Starts to connect.</summary>
    /// <param name="remote">The remote address.</param>
    /// <param name="local">The local address; null for the system's choice.</param>
    /// <returns>The socket; the attempt has ended when it is writable.</returns>
    /// <exception cref="SocketException">The attempt failed at once.</exception>
    public static SocketHandle Connect(in CoapAddress remote, IPAddress? local)
    {
        bool ipv6 = !remote.IsIPv4;
        SocketHandle socket = Open(ipv6);
        try
        {
            byte* address = stackalloc byte[AddressSize];
            uint length;
            if (local is not null)
            {
                // The port is chosen on connecting, so one port may serve connections to several peers.
                TrySet(socket, LibC.SolIP, LibC.IPBindAddressNoPort, 1);
                length = Write(address, CoapAddress.FromIPEndPoint(new IPEndPoint(local, 0)), ipv6);
                Check(LibC.Bind(socket.Descriptor, address, length));
            }

            length = Write(address, remote, ipv6);
            if (LibC.Connect(socket.Descriptor, address, length) < 0
                && Marshal.GetLastPInvokeError() is var error and not (LibC.EINPROGRESS or LibC.EINTR))
            {
                throw LinuxErrors.ToException(error);
            }

            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>Accepts the next waiting connection.</summary>
    /// <returns>The descriptor; negative for none, or an error.</returns>
    public static int Accept(int listener, out CoapAddress remote)
    {
        byte* address = stackalloc byte[AddressSize];
        uint length = AddressSize;
        int descriptor = LibC.Accept(listener, address, &length, LibC.NewSocketFlags);
        remote = descriptor < 0 ? default : Read(address);
        return descriptor;
    }

    public static CoapAddress LocalOf(int descriptor)
    {
        byte* address = stackalloc byte[AddressSize];
        uint length = AddressSize;
        return LibC.GetName(descriptor, address, &length) < 0 ? default : Read(address);
    }

    /// <summary>Takes the pending error of a socket; 0 for none.</summary>
    public static int ErrorOf(int descriptor)
    {
        int error = 0;
        uint length = sizeof(int);
        return LibC.GetOption(descriptor, LibC.SolSocket, LibC.SoError, &error, &length) < 0 ? Marshal.GetLastPInvokeError() : error;
    }

    /// <summary>Returns the error of a writable socket that did not connect.</summary>
    /// <returns>The error; null when it is connected.</returns>
    public static SocketException? ConnectFailureOf(int descriptor, in CoapAddress remote, out CoapAddress local)
    {
        local = LocalOf(descriptor);
        int error = ErrorOf(descriptor);

        // The kernel connects a port to itself if it chooses just that port for a local address without a listener.
        return error != 0 ? LinuxErrors.ToException(error)
            : local == remote ? new SocketException((int)SocketError.ConnectionRefused)
            : null;
    }

    private static SocketHandle Open(bool ipv6)
    {
        int descriptor = LibC.OpenSocket(ipv6 ? LibC.FamilyIPv6 : LibC.FamilyIPv4, LibC.Stream | LibC.NewSocketFlags, 0);
        Check(descriptor);
        SocketHandle socket = new(descriptor);

        // Accepted sockets inherit it from the listening one.
        TrySet(socket, LibC.SolTcp, LibC.TcpNoDelay, 1);
        return socket;
    }

    // For what makes connections faster or cheaper: a kernel, a sandbox or an emulator may lack it.
    private static void TrySet(SocketHandle socket, int level, int name, int value) =>
        _ = LibC.SetOption(socket.Descriptor, level, name, &value, sizeof(int));

    private static void Set(SocketHandle socket, int level, int name, int value) =>
        Check(LibC.SetOption(socket.Descriptor, level, name, &value, sizeof(int)));

    private static void Check(int result)
    {
        if (result < 0)
        {
            throw LinuxErrors.ToException(Marshal.GetLastPInvokeError());
        }
    }

    private static uint Write(byte* at, in CoapAddress address, bool ipv6)
    {
        *(ushort*)at = (ushort)(ipv6 ? LibC.FamilyIPv6 : LibC.FamilyIPv4);
        return (uint)SockaddrConverter.Write(new Span<byte>(at, AddressSize), address, ipv6);
    }

    private static CoapAddress Read(byte* at) =>
        SockaddrConverter.Read(new ReadOnlySpan<byte>(at, AddressSize), *(ushort*)at == LibC.FamilyIPv6);
}
