using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>What the loops of Linux read from a stream.</summary>
public sealed class StreamEndTests
{
    [LinuxFact]
    public unsafe void The_end_of_a_stream_is_no_error_whatever_call_failed_before()
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        using Socket peer = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        peer.Connect(listener.LocalEndpoint);
        using Socket own = listener.AcceptSocket();
        int descriptor = (int)own.Handle;
        byte* buffer = stackalloc byte[8];

        Assert.Equal(-LibC.EAGAIN, LibC.Receive(descriptor, buffer, 8, LibC.DontWait));
        peer.Send([1, 2, 3]);
        Assert.True(own.Poll(FromSeconds(30), SelectMode.SelectRead));
        Assert.Equal(3, LibC.Receive(descriptor, buffer, 8, LibC.DontWait));
        peer.Shutdown(SocketShutdown.Send);
        Assert.True(own.Poll(FromSeconds(30), SelectMode.SelectRead));

        Marshal.SetLastSystemError(LibC.EAGAIN);
        nint count = LibC.Receive(descriptor, buffer, 8, LibC.DontWait);

        Assert.Equal(0, count);
    }
}
