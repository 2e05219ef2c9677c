using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>What the numbers of errno mean to .NET.</summary>
internal static class LinuxErrors
{
    public static SocketException ToException(int error) => new((int)(error switch
    {
        1 or 13 => SocketError.AccessDenied,
        LibC.EAGAIN => SocketError.WouldBlock,
        LibC.ENOMEM or LibC.ENOBUFS => SocketError.NoBufferSpaceAvailable,
        22 => SocketError.InvalidArgument,
        LibC.ENFILE or LibC.EMFILE => SocketError.TooManyOpenSockets,
        32 => SocketError.Shutdown,
        90 => SocketError.MessageSize,
        93 => SocketError.ProtocolNotSupported,
        97 => SocketError.AddressFamilyNotSupported,
        98 => SocketError.AddressAlreadyInUse,
        99 => SocketError.AddressNotAvailable,
        100 => SocketError.NetworkDown,
        101 => SocketError.NetworkUnreachable,
        103 => SocketError.ConnectionAborted,
        104 => SocketError.ConnectionReset,
        110 => SocketError.TimedOut,
        111 => SocketError.ConnectionRefused,
        112 => SocketError.HostDown,
        113 => SocketError.HostUnreachable,
        _ => SocketError.SocketError,
    }));
}
