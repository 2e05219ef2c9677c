using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>UDP ports that several processes have.</summary>
internal static class SharedPorts
{
    private const int SolSocket = 1;
    private const int SoReuseAddress = 2;
    private const int SoReusePort = 15;
    private const int SoAttachReusePortFilter = 51;

    /// <summary>Why nothing can be looked at here.</summary>
    public const string Missing = "Not looked at: there is no OpenSSL, or the kernel refuses SO_ATTACH_REUSEPORT_CBPF.";

    /// <summary>Whether the kernel can bring records to the process that has their slot.</summary>
    public static bool AreSteered { get; } = CoapDtls.IsSupported && OperatingSystem.IsLinux() && KernelTakesFilters();

    /// <summary>A port that nobody has just now.</summary>
    /// <param name="address">At which address.</param>
    public static int Free(IPAddress? address = null)
    {
        address ??= IPAddress.Loopback;
        using Socket socket = new(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(address, 0));
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    /// <summary>Has other sockets bind the same as this one.</summary>
    /// <param name="socket">The socket, which is not bound yet.</param>
    public static void Share(Socket socket)
    {
        int on = 1;
        socket.SetRawSocketOption(SolSocket, SoReuseAddress, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
        socket.SetRawSocketOption(SolSocket, SoReusePort, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
    }

    private static bool KernelTakesFilters()
    {
        using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        Share(socket);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));

        // One instruction: return what is the index of no socket.
        GCHandle instruction = GCHandle.Alloc((ulong[])[0xFFFF_FFFF_0000_0006], GCHandleType.Pinned);
        ReadOnlySpan<nint> program = [1, instruction.AddrOfPinnedObject()];
        try
        {
            socket.SetRawSocketOption(SolSocket, SoAttachReusePortFilter, MemoryMarshal.AsBytes(program));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
        finally
        {
            instruction.Free();
        }
    }
}
