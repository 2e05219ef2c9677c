using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>
/// Says that a descriptor was closed by code that does not own it: nothing can be received by it again, and its number may be somebody
/// else's.
/// </summary>
internal static class LostDescriptor
{
    /// <summary>
    /// Whether an error says so. The platform calls a bad descriptor an aborted operation; where we close one ourselves, nobody asks.
    /// </summary>
    public static bool Is(SocketException error) => error.SocketErrorCode is SocketError.NotSocket or SocketError.OperationAborted;

    /// <summary>
    /// Gives a socket up without closing its descriptor, whose number may be somebody else's by now: a pipe of the runtime, say, without
    /// which no thread starts.
    /// </summary>
    public static void Abandon(Socket socket)
    {
#pragma warning disable CA1816 // it is not disposed, and must not be
        GC.SuppressFinalize(socket.SafeHandle);
        GC.SuppressFinalize(socket);
#pragma warning restore CA1816
    }

    public static CoapException Of(string use, int error) => Of(use, LinuxErrors.ToException(error));

    public static CoapException Of(string use, Exception cause) => new(
        $"The descriptor for {use} is not the library's any more: {cause.Message}. Something in this process closed a descriptor that it "
            + "does not own, as when a handle is closed twice. The endpoint stops; make a new one.",
        cause);
}
