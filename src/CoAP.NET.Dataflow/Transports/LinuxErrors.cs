using System.Net.Sockets;
using CoAP.NET.Files;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports;

/// <summary>Maps errno values to .NET errors.</summary>
internal static class LinuxErrors
{
    /// <summary>Whether a descriptor is invalid or belongs to other code, because code that does not own it closed it.</summary>
    public static bool IsDescriptorLost(int error) => error is LibC.EBADF or LibC.ENOTSOCK;

    /// <summary>Whether the process or the machine currently has no descriptor or memory left.</summary>
    public static bool IsShortage(int error) =>
        DescriptorShortage.IsShortage(error) || error is LibC.ENOMEM or LibC.ENOBUFS;

    public static SocketException ToException(int error) => new((int)(error switch
    {
        1 or 13 => SocketError.AccessDenied,
        LibC.EAGAIN => SocketError.WouldBlock,
        LibC.ENOMEM or LibC.ENOBUFS => SocketError.NoBufferSpaceAvailable,
        LibC.EINVAL => SocketError.InvalidArgument,
        _ when DescriptorShortage.IsShortage(error) => SocketError.TooManyOpenSockets,
        LibC.ENOENT or LibC.EBADF or LibC.ENOTSOCK => SocketError.NotSocket,
        32 => SocketError.Shutdown,
        38 or 95 => SocketError.OperationNotSupported,
        90 => SocketError.MessageSize,
        92 => SocketError.ProtocolOption,
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
