using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>The socket below a peer's TLS, which can send the first half of a record and keep the other.</summary>
internal sealed class HalvingStream(Socket socket) : NetworkStream(socket, ownsSocket: true)
{
    private byte[] _kept = [];

    /// <summary>Whether of the next write only the first half is sent.</summary>
    public bool Halves { get; set; }

    public async Task SendRestAsync()
    {
        Halves = false;
        await base.WriteAsync(_kept);
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        int half = Halves ? buffer.Length / 2 : buffer.Length;
        _kept = buffer[half..].ToArray();
        return base.WriteAsync(buffer[..half], cancellationToken);
    }
}
