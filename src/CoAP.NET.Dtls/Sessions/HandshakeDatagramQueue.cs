using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The datagrams that a handshake has received and not processed yet, while it waits for a thread or for code of the application. It holds
/// one flight of the peer, because any sender can write unprotected datagrams. Not thread-safe.
/// </summary>
/// <param name="maxBytes">Maximum bytes of the datagrams.</param>
internal sealed class HandshakeDatagramQueue(int maxBytes)
{
    // A flight of a peer that sends each message in a datagram of its own, twice.
    private const int MaxCount = 16;

    private readonly Queue<byte[]> _datagrams = new();
    private int _bytes;

    /// <summary>Appends a copy of a datagram.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <returns>False without room: the peer sends it again.</returns>
    public bool TryEnqueue(ReadOnlySpan<byte> datagram)
    {
        if (_datagrams.Count >= MaxCount || _bytes + datagram.Length > maxBytes)
        {
            return false;
        }

        _datagrams.Enqueue(datagram.ToArray());
        _bytes += datagram.Length;
        return true;
    }

    /// <summary>Takes the oldest datagram.</summary>
    /// <param name="datagram">The datagram; null for none.</param>
    public bool TryDequeue([NotNullWhen(true)] out byte[]? datagram)
    {
        if (!_datagrams.TryDequeue(out datagram))
        {
            return false;
        }

        _bytes -= datagram.Length;
        return true;
    }

    /// <summary>Drops all datagrams.</summary>
    public void Clear()
    {
        _datagrams.Clear();
        _bytes = 0;
    }
}
