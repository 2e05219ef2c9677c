namespace CoAP.NET.Hosting.Server;

/// <summary>The functions that run when a server starts, before it listens. Any thread may add one.</summary>
internal sealed class StartupActions
{
    private readonly Lock _gate = new();
    private readonly Queue<Func<CancellationToken, Task>> _waiting = [];
    private bool _isClosed;

    /// <summary>Adds a function.</summary>
    /// <returns>Whether it will run; false after all have run.</returns>
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

    /// <summary>Runs them in order, including those added in the meantime.</summary>
    /// <exception cref="Exception">The exception of one of them; the rest does not run.</exception>
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
