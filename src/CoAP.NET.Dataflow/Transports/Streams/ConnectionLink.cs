namespace CoAP.NET.Transports;

/// <summary>
/// What the bytes of an <see cref="AsyncConnection"/> move over: a socket with or without TLS, a pipe, a WebSocket. One thread reads and
/// one writes at a time; <see cref="Close"/> may come at any time, and whoever reads or writes then finds out by an exception.
/// </summary>
internal abstract class ConnectionLink
{
    /// <summary>Whether it keeps the bounds of messages, so that each frame is one (RFC 8323 section 4.2).</summary>
    public virtual bool HasMessages => false;

    /// <summary>With messages: whether the last read reached the end of one.</summary>
    public virtual bool IsMessageWhole => false;

    /// <summary>With messages: what the peer did in the last read that it must not; null for nothing.</summary>
    public virtual string? Violation => null;

    /// <summary>With messages: whether the last read found the end of all. Otherwise a read of no byte tells.</summary>
    public virtual bool HasEnded => false;

    /// <summary>Whether the end of the peer's side is that of ours, so that nothing that is under way can be answered.</summary>
    public virtual bool EndsBothWays => false;

    /// <summary>Why the peer ended its side, where <see cref="EndsBothWays"/>; null for an orderly end.</summary>
    public virtual Exception? EndReason => null;

    /// <summary>
    /// Whether what comes is decrypted in records, so that the link holds a buffer while it waits for the rest of one (TLS).
    /// </summary>
    public virtual bool HasRecords => false;

    /// <summary>With records: how many bytes are there of the one whose rest is waited for; 0 when none is. For any thread.</summary>
    public virtual long RecordReceived => 0;

    /// <summary>The connection begins to read.</summary>
    /// <param name="charge">What the link tells how much memory it holds.</param>
    public virtual void Begin(ReadCharge charge)
    {
    }

    /// <summary>Nothing is read for a while, so that the link keeps what it holds.</summary>
    /// <returns>False when there is no memory for it.</returns>
    public virtual bool TryPause() => true;

    /// <summary>Waits until there is something to read, without any memory for it.</summary>
    /// <returns>Nothing that matters.</returns>
    public abstract ValueTask<int> WaitAsync();

    /// <summary>Reads what is there, at least one byte where it does not end.</summary>
    /// <returns>The number of bytes.</returns>
    public abstract ValueTask<int> ReadAsync(Memory<byte> buffer);

    /// <summary>Reads what nobody wants any more; 0 at the end.</summary>
    public abstract ValueTask<int> DiscardAsync(Memory<byte> buffer);

    /// <summary>Writes.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="endsMessage">With messages: whether these are the last ones of one.</param>
    public abstract ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, bool endsMessage);

    /// <summary>The frame after which the connection is closed was given. Under a lock: nothing is done here.</summary>
    public virtual void OnLast(ReadOnlySpan<byte> frame)
    {
    }

    /// <summary>A message is longer than allowed.</summary>
    public virtual void OnTooLarge()
    {
    }

    /// <summary>Ends our side in order, after all that was written.</summary>
    public abstract ValueTask EndOutputAsync();

    /// <summary>Says that it ends, as far as that goes at once. Never throws.</summary>
    public virtual void SayEnd()
    {
    }

    /// <summary>Closes at once. Never throws.</summary>
    public abstract void Close();

    /// <summary>
    /// Calls what closes something below that is foreign code. It must not throw; when it does, the connection ends all the same.
    /// </summary>
    /// <param name="close">What to call; null for nothing.</param>
    protected static void Quietly(Action? close)
    {
        try
        {
            close?.Invoke();
        }
#pragma warning disable CA1031 // it is foreign code, and nobody is there to be told
        catch (Exception)
#pragma warning restore CA1031
        {
            // What lies below may be closed, or disposed, already.
        }
    }

    /// <summary>Gives back what it holds: nobody uses it any more. Never throws.</summary>
    public abstract void Release();

    /// <summary>What the platform says, in the words of this library where a reader would not find the reason in it.</summary>
    /// <param name="error">What the platform said.</param>
    /// <param name="hasHeard">Whether the peer ever said anything.</param>
    public virtual Exception Explain(Exception error, bool hasHeard) => error;

    /// <summary>What it means that the peer ended its side; null for the end of its side and nothing else.</summary>
    /// <param name="hasHeard">Whether the peer ever said anything.</param>
    public virtual Exception? ExplainEnd(bool hasHeard) => null;
}
