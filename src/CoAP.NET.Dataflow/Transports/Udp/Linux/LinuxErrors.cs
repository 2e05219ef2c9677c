using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>What the numbers of errno mean to .NET.</summary>
internal static class LinuxErrors
{
    public static SocketException ToException(int error) => new((int)(error switch
    {
        1 or 13 => SocketError.AccessDenied,
        LibC.EAGAIN => SocketError.WouldBlock,
        12 or 105 => SocketError.NoBufferSpaceAvailable,
        22 => SocketError.InvalidArgument,
        24 => SocketError.TooManyOpenSockets,
        90 => SocketError.MessageSize,
        97 => SocketError.AddressFamilyNotSupported,
        99 => SocketError.AddressNotAvailable,
        100 => SocketError.NetworkDown,
        101 => SocketError.NetworkUnreachable,
        111 => SocketError.ConnectionRefused,
        112 => SocketError.HostDown,
        113 => SocketError.HostUnreachable,
        _ => SocketError.SocketError,
    }));
}
