using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>
/// Handles descriptors that code without ownership closed: they receive nothing any more, and their number may belong to another file.
/// </summary>
internal static class LostDescriptorErrors
{
    /// <summary>
    /// Whether an error indicates this. The platform reports a bad descriptor as an aborted operation; the library does not ask after it
    /// closed one itself.
    /// </summary>
    public static bool Is(SocketException error) => error.SocketErrorCode is SocketError.NotSocket or SocketError.OperationAborted;

    /// <summary>
    /// Abandons a socket without closing its descriptor, whose number may already belong to another file: for example a pipe of the
    /// runtime, without which no thread starts.
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
