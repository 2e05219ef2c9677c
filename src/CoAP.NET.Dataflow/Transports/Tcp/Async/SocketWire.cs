namespace CoAP.NET.Transports;

/// <summary>
/// The bytes of a connected TCP socket, below TLS where there is any. One thread reads and one writes at a time; <see cref="Close"/> may
/// come at any time, and whoever waits then finds out by an exception.
/// </summary>
internal abstract class SocketWire
{
    /// <summary>The address of this end.</summary>
    public abstract CoapAddress LocalAddress { get; }

    /// <summary>
    /// From here on whoever waits for bytes may go on within the call that found them. Before that, as in a handshake, it goes on with a
    /// thread of the pool.
    /// </summary>
    public virtual void RunInline()
    {
    }

    /// <summary>Waits until there is something to read, or the peer has ended its side.</summary>
    public abstract ValueTask<int> WaitAsync(CancellationToken cancellationToken);

    /// <summary>Reads what is there, at least one byte; 0 at the end.</summary>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Writes all of it.</summary>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken);

    /// <summary>Ends our side.</summary>
    public abstract void EndOutput();

    /// <summary>Closes at once. Never throws.</summary>
    public abstract void Close();
}
