using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Stores;

/// <summary>
/// Distributes the newest map to all readers; for engines, to implement <see cref="ICoapClusterStore.WatchAsync"/>. Thread-safe.
/// </summary>
internal sealed class CoapClusterMapFeed : IDisposable
{
    private readonly Lock _gate = new();
    private TaskCompletionSource _changed = New();
    private CoapClusterSlotMap? _newest;
    private bool _isDisposed;

    /// <summary>The map that was published last; null before the first.</summary>
    public CoapClusterSlotMap? Newest
    {
        get
        {
            lock (_gate)
            {
                return _newest;
            }
        }
    }

    /// <summary>Publishes a map if it differs from the one before.</summary>
    public void Publish(CoapClusterSlotMap map)
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

    /// <summary>Returns the newest map, and the newest one again each time that it changed.</summary>
    /// <exception cref="ObjectDisposedException">The feed is disposed.</exception>
    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CoapClusterSlotMap? shown = null;
        while (true)
        {
            cancellationToken.ThrowIfCancellationRequested();
            CoapClusterSlotMap? newest;
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

    /// <summary>Ends all enumerations.</summary>
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
