using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Transports.Tcp;

/// <summary>A socket that the platform drives.</summary>
/// <param name="socket">The socket; disposed with this object.</param>
#pragma warning disable CA1001 // Close does it
internal sealed class PortableTcpSocket(Socket socket) : ConnectedTcpSocket
#pragma warning restore CA1001
{
    private readonly NetworkStream _stream = new(socket, ownsSocket: true);

    public override CoapAddress LocalAddress => AsyncTcpEngine.LocalAddressOf(socket);

    public override ValueTask<int> WaitAsync(CancellationToken cancellationToken)
    {
        ValueTask<int> wait = _stream.ReadAsync(Memory<byte>.Empty, cancellationToken);
        return wait.IsCompleted ? wait : WaitAsync(wait, cancellationToken);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken) =>
        _stream.ReadAsync(buffer, cancellationToken);

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken) =>
        _stream.WriteAsync(buffer, cancellationToken);

    public override void EndOutput() => socket.Shutdown(SocketShutdown.Send);

    public override void Close()
    {
        try
        {
            // Without it the platform resets a connection with a pending wait.
            socket.Shutdown(SocketShutdown.Both);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // The peer was first.
        }

        _stream.Dispose();
    }

    // A wait of the platform may end by an event for bytes that were read meanwhile.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> WaitAsync(ValueTask<int> wait, CancellationToken cancellationToken)
    {
        int count = await wait.ConfigureAwait(false);
        while (!socket.Poll(0, SelectMode.SelectRead))
        {
            count = await _stream.ReadAsync(Memory<byte>.Empty, cancellationToken).ConfigureAwait(false);
        }

        return count;
    }
}
