namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Executes calls one after the other in their order. A canceled wait does not end the call. Thread-safe.</summary>
internal sealed class SequentialCalls
{
    private readonly Lock _gate = new();
    private Task _last = Task.CompletedTask;
    private bool _isEnded;

    public Task<T> RunAsync<T>(Func<Task<T>> call, CancellationToken cancellationToken)
    {
        Task<T> done;
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isEnded, typeof(CoapPostgreSqlClusterStore));
            if (cancellationToken.IsCancellationRequested)
            {
                return Task.FromCanceled<T>(cancellationToken);
            }

            _last = done = AfterAsync(_last, call);
        }

        return cancellationToken.CanBeCanceled ? done.WaitAsync(cancellationToken) : done;
    }

    /// <summary>Refuses further calls, and waits for the earlier ones.</summary>
    public Task EndAsync()
    {
        lock (_gate)
        {
            _isEnded = true;
            return EndedAsync(_last);
        }
    }

    private static async Task<T> AfterAsync<T>(Task before, Func<Task<T>> call)
    {
        await EndedAsync(before).ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        return await call().ConfigureAwait(false);
    }

    private static async Task EndedAsync(Task before) =>
        await before.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
