namespace CoAP.NET.Transports;

/// <summary>The start and the end of a transport, which may overlap.</summary>
internal sealed class TransportLifetime<TEngine>
    where TEngine : TransportEngine
{
    private TEngine? _engine;
    private bool _disposed;
    private bool _running;
    private int _started;

    /// <summary>The engine; null before the start.</summary>
    public TEngine? Engine => _engine;

    /// <summary>Creates and starts the engine.</summary>
    /// <param name="transport">The transport, for exceptions.</param>
    /// <param name="make">Creates the engine.</param>
    /// <param name="cancellationToken">Cancels the start before it begins.</param>
    /// <exception cref="InvalidOperationException">It was already started.</exception>
    /// <exception cref="ObjectDisposedException">It was disposed, before or meanwhile.</exception>
    public async ValueTask StartAsync(CoapTransport transport, Func<TEngine> make, CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposed), transport);
        if (Interlocked.Exchange(ref _started, 1) != 0)
        {
            throw new InvalidOperationException("The transport was already started. Create a new one.");
        }

        TEngine engine = make();

        // Before the first message, which may be answered before the start returns.
        Volatile.Write(ref _engine, engine);
        try
        {
            await engine.StartAsync().ConfigureAwait(false);
        }
        catch
        {
            await engine.DisposeAsync().ConfigureAwait(false);
            Volatile.Write(ref _engine, null);
            Volatile.Write(ref _started, 0);
            throw;
        }

        Volatile.Write(ref _running, true);
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _disposed))
        {
            await engine.DisposeAsync().ConfigureAwait(false);
            ObjectDisposedException.ThrowIf(true, transport);
        }
    }

    public ValueTask DisposeAsync()
    {
        Volatile.Write(ref _disposed, true);
        Interlocked.MemoryBarrier();

        // If it is still starting, the start sees the mark and closes.
        return Volatile.Read(ref _running) && _engine is { } engine ? engine.DisposeAsync() : ValueTask.CompletedTask;
    }
}
