using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>The socket under TLS, which tells that a handshake moves on: whenever something is written, as that answers a whole flight of the peer.</summary>
/// <param name="socket">The socket; goes with it.</param>
/// <param name="progress">Called for each write until <see cref="End"/>.</param>
internal sealed class HandshakeStream(Socket socket, Action progress) : NetworkStream(socket, ownsSocket: true)
{
    private Action? _progress = progress;

    /// <summary>The handshake is done.</summary>
    public void End() => _progress = null;

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _progress?.Invoke();
        return base.WriteAsync(buffer, cancellationToken);
    }
}
