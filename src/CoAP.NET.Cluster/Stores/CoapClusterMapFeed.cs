using System.Runtime.CompilerServices;

namespace CoAP.NET.Cluster;

/// <summary>
/// Shows the newest map to whoever watches; for engines, as what <see cref="ICoapClusterStore.WatchAsync"/> gives. Thread-safe.
/// </summary>
public sealed class CoapClusterMapFeed : IDisposable
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _changed = New();
    private CoapClusterMap? _newest;
    private bool _isDisposed;

    /// <summary>The map that was shown last; null before the first.</summary>
    public CoapClusterMap? Newest
    {
        get
        {
            lock (_gate)
            {
                return _newest;
            }
        }
    }

    /// <summary>Shows a map, if it differs from the one before.</summary>
    /// <param name="map">The map.</param>
    public void Publish(CoapClusterMap map)
    {
        ArgumentNullException.ThrowIfNull(map);
        TaskCompletionSource changed;
        lock (_gate)
        {
            if (_isDisposed || (_newest is not null && _newest.HasSameContent(map)))
            {
                return;
            }

            _newest = map;
            changed = _changed;
            _changed = New();
        }

        changed.TrySetResult();
    }

    /// <summary>Gives the newest map, and each time that it changes the newest one again.</summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The maps.</returns>
    /// <exception cref="ObjectDisposedException">The feed was disposed of.</exception>
    public async IAsyncEnumerable<CoapClusterMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CoapClusterMap? shown = null;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            CoapClusterMap? newest;
            Task changed;
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, this);
                newest = _newest;
                changed = _changed.Task;
            }

            if (newest is null || newest == shown)
            {
                await changed.WaitAsync(cancellationToken).ConfigureAwait(false);
                continue;
            }

            shown = newest;
            yield return newest;
        }
    }

    /// <summary>Ends all that watch.</summary>
    public void Dispose()
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            _isDisposed = true;
            changed = _changed;
        }

        changed.TrySetResult();
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
