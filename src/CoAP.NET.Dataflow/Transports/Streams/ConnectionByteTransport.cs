namespace CoAP.NET.Transports.Streams;

/// <summary>
/// The byte transport of an <see cref="AsyncIOConnection"/>: a socket with or without TLS, a pipe, a WebSocket. One thread reads and one
/// writes at a time. <see cref="Close"/> may be called at any time; the reading and the writing thread then get an exception.
/// </summary>
internal abstract class ConnectionByteTransport
{
    /// <summary>Whether it keeps message boundaries, so each frame is a message (RFC 8323 section 4.2).</summary>
    public virtual bool HasMessages => false;

    /// <summary>With messages: whether the last read reached the end of one.</summary>
    public virtual bool IsMessageWhole => false;

    /// <summary>With messages: the peer's violation in the last read; null for none.</summary>
    public virtual string? Violation => null;

    /// <summary>With messages: whether the last read found the end of the connection. Otherwise a read of no byte reports it.</summary>
    public virtual bool HasEnded => false;

    /// <summary>Whether the end of the peer's side also ends the local side, so pending requests cannot be answered.</summary>
    public virtual bool EndsBothWays => false;

    /// <summary>Why the peer ended its side, if <see cref="EndsBothWays"/>; null for an orderly end.</summary>
    public virtual Exception? EndReason => null;

    /// <summary>Whether input is decrypted in records, so the link holds a buffer while it waits for the rest of one (TLS).</summary>
    public virtual bool HasRecords => false;

    /// <summary>With records: the available bytes of the incomplete record; 0 for none. Thread-safe.</summary>
    public virtual long RecordReceived => 0;

    /// <summary>Starts reading.</summary>
    /// <param name="charge">Receives the memory usage of the link.</param>
    public virtual void Begin(ConnectionReaderMemoryCharge charge)
    {
    }

    /// <summary>Prepares a pause of reading, in which the link keeps its memory.</summary>
    /// <returns>False when there is no memory for it.</returns>
    public virtual bool TryPause() => true;

    /// <summary>Waits for input, without holding memory for it.</summary>
    /// <returns>An undefined value.</returns>
    public abstract ValueTask<int> WaitAsync();

    /// <summary>Reads the available bytes, at least one unless the input has ended.</summary>
    /// <returns>The number of bytes.</returns>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer);

    /// <summary>Reads input that is discarded; 0 at the end.</summary>
    public abstract ValueTask<int> DiscardAsync(Memory<byte> buffer);

    /// <summary>Writes.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="endsMessage">With messages: whether these bytes end a message.</param>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage);

    /// <summary>Notes the last frame, after which the connection is closed. Called under a lock: it must not act.</summary>
    public virtual void OnLast(ReadOnlySpan<byte> frame)
    {
    }

    /// <summary>Notes a message that exceeds the limit.</summary>
    public virtual void OnTooLarge()
    {
    }

    /// <summary>Ends the local side in order, after all written bytes.</summary>
    public abstract ValueTask EndOutputAsync();

    /// <summary>Announces the end, as far as possible without waiting. Never throws.</summary>
    public virtual void SayEnd()
    {
    }

    /// <summary>Closes at once. Never throws.</summary>
    public abstract void Close();

    /// <summary>
    /// Calls foreign code that closes an underlying resource. It must not throw; if it does, the connection ends nevertheless.
    /// </summary>
    /// <param name="close">The code to call; null for none.</param>
    protected static void Quietly(Action? close)
    {
        try
        {
            close?.Invoke();
        }
#pragma warning disable CA1031 // it is foreign code, and there is no caller to notify
        catch (Exception)
#pragma warning restore CA1031
        {
            // The underlying resource may already be closed or disposed.
        }
    }

    /// <summary>Releases its resources: it is unused now. Never throws.</summary>
    public abstract void Release();

    /// <summary>Replaces an exception of the platform that does not name the cause by one of this library.</summary>
    /// <param name="error">The exception of the platform.</param>
    /// <param name="hasHeard">Whether the peer ever sent anything.</param>
    public virtual Exception Explain(Exception error, bool hasHeard) => error;

    /// <summary>Explains the end of the peer's side; null for an ordinary end.</summary>
    /// <param name="hasHeard">Whether the peer ever sent anything.</param>
    public virtual Exception? ExplainEnd(bool hasHeard) => null;
}
