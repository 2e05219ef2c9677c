namespace CoAP.NET.Hosting;

/// <summary>What is called when a server starts, before it listens. Any thread may add.</summary>
internal sealed class StartPreparations
{
    private readonly Lock _gate = new();
    private readonly Queue<Func<CancellationToken, Task>> _waiting = [];
    private bool _isClosed;

    /// <summary>Adds one.</summary>
    /// <returns>Whether it will be called; false once all were.</returns>
    public bool TryAdd(Func<CancellationToken, Task> prepare)
    {
        lock (_gate)
        {
            if (_isClosed)
            {
                return false;
            }

            _waiting.Enqueue(prepare);
            return true;
        }
    }

    /// <summary>Calls them in order, also those that are added meanwhile.</summary>
    /// <exception cref="Exception">What one of them threw; the rest is not called.</exception>
    public async Task RunAsync(CancellationToken cancellationToken)
    {
        while (TryTake(out Func<CancellationToken, Task>? prepare))
        {
            await prepare(cancellationToken).ConfigureAwait(false);
        }
    }

    private bool TryTake([System.Diagnostics.CodeAnalysis.NotNullWhen(true)] out Func<CancellationToken, Task>? prepare)
    {
        lock (_gate)
        {
            _isClosed = !_waiting.TryDequeue(out prepare);
            return !_isClosed;
        }
    }
}
