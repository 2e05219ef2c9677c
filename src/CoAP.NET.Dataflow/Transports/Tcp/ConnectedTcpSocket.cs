namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// The bytes of a connected TCP socket, below TLS if there is any. One thread reads and one writes at a time. <see cref="Close"/> may be
/// called at any time; a waiting thread then gets an exception.
/// </summary>
internal abstract class ConnectedTcpSocket
{
    public abstract CoapAddress LocalAddress { get; }

    /// <summary>
    /// From here on a waiting reader may continue within the call that found the bytes. Before that, as in a handshake, it continues on a
    /// pool thread.
    /// </summary>
    public virtual void RunInline()
    {
    }

    /// <summary>Waits for input, or for the end of the peer's side.</summary>
    public abstract ValueTask<int> WaitAsync(CancellationToken cancellationToken);

    /// <summary>Reads the available bytes, at least one; 0 at the end.</summary>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Writes all bytes.</summary>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Ends the local side.</summary>
    public abstract void EndOutput();

    /// <summary>Closes at once. Never throws.</summary>
    public abstract void Close();
}
