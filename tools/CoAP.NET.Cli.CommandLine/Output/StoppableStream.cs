namespace CoAP.NET.Cli.Output;

/// <summary>
/// An output whose reader may stop reading, such as a pipe: a blocked write ends with the program's stop, instead of holding it until a
/// second signal.
/// </summary>
/// <param name="inner">The output.</param>
/// <param name="time">The clock.</param>
/// <param name="stopped">The stop. A later write still succeeds if the reader takes it within a second.</param>
internal sealed class StoppableStream(Stream inner, TimeProvider time, CancellationToken stopped) : Stream
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(1);

    private volatile bool _isAbandoned;

    /// <inheritdoc/>
    public override bool CanRead => false;

    /// <inheritdoc/>
    public override bool CanSeek => false;

    /// <inheritdoc/>
    public override bool CanWrite => true;

    /// <inheritdoc/>
    public override long Length => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <inheritdoc/>
    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    /// <inheritdoc/>
    /// <exception cref="OperationCanceledException">The program stops, and the reader does not read.</exception>
    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (_isAbandoned)
        {
            throw new OperationCanceledException(stopped);
        }

        byte[] bytes = buffer.ToArray();

        // The operating system may block its thread for as long as the process lives.
        Task writing = Task.Factory.StartNew(
            () => inner.Write(bytes), CancellationToken.None, TaskCreationOptions.None, TaskScheduler.Default);
        try
        {
            writing.WaitAsync(stopped).GetAwaiter().GetResult();
            return;
        }
        catch (OperationCanceledException) when (stopped.IsCancellationRequested)
        {
            // A reader that still reads gets what follows a stop, such as results so far.
        }

        try
        {
            writing.WaitAsync(s_patience, time, CancellationToken.None).GetAwaiter().GetResult();
        }
        catch (TimeoutException) when (!writing.IsCompleted)
        {
            _isAbandoned = true;
            throw new OperationCanceledException(stopped);
        }
    }

    /// <inheritdoc/>
    public override void Flush() => inner.Flush();

    /// <inheritdoc/>
    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    /// <inheritdoc/>
    public override void SetLength(long value) => throw new NotSupportedException();
}
