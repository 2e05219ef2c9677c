using System.Net.Sockets;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Transports.Tcp;

/// <summary>Accepts connections of one listening socket.</summary>
/// <param name="engine">Takes over the connections.</param>
/// <param name="listener">The socket; the engine closes it.</param>
/// <param name="stopping">Cancelled before the socket is closed.</param>
internal sealed class SocketAcceptLoop(AsyncTcpEngine engine, Socket listener, CancellationToken stopping)
    : AcceptLoop(engine.Context, stopping)
{
    private readonly CoapAddress _address = AsyncTcpEngine.LocalAddressOf(listener);

    protected override async ValueTask AcceptAsync(CancellationToken cancellationToken)
    {
        Socket socket = await listener.AcceptAsync(cancellationToken).ConfigureAwait(false);
        if (FileDescriptorHeadroom.IsTouchedBy(socket.SafeHandle))
        {
            socket.Dispose();
            throw new SocketException((int)SocketError.TooManyOpenSockets);
        }

        engine.Serve(socket);
    }

    // The peer disconnected before its connection was accepted.
    protected override bool IsOfPeer(Exception exception) => exception is SocketException
    {
        SocketErrorCode: SocketError.ConnectionAborted or SocketError.ConnectionReset or SocketError.Interrupted,
    };

    protected override void Report(Exception exception) => TcpLog.AcceptFailed(engine.Context.Logger, _address, exception.Message);
}
