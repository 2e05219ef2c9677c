using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Observing;

/// <summary>The common parts of all servers of a node that keep their observers. Thread-safe.</summary>
internal sealed class ClusterObserverStores : ISlotStateHolder
{
    private readonly ConcurrentDictionary<ClusterObserverStore, bool> _observerStores = new();
    private long _tooLong;
    private long _restored;
    private long _refused;
    private long _expired;
    private int _awaited;

    public ClusterObserverStores(CoapCluster cluster, CoapClusterObserverOptions options, TimeProvider time)
    {
        Options = options;
        Time = time;
        Queue = new ObserverRecordWriteQueue(cluster, Options.MaxWaiting, time);
    }

    public CoapClusterObserverOptions Options { get; }

    public TimeProvider Time { get; }

    /// <summary>The changes that wait for the store.</summary>
    public ObserverRecordWriteQueue Queue { get; }

    public CoapClusterObserverCounters GetCounters()
    {
        (int waiting, long dropped, long undone) = Queue.GetCounters();
        return new CoapClusterObserverCounters
        {
            Waiting = waiting,
            Dropped = dropped,
            Undone = undone,
            TooLong = Interlocked.Read(ref _tooLong),
            Awaited = Volatile.Read(ref _awaited),
            Restored = Interlocked.Read(ref _restored),
            Refused = Interlocked.Read(ref _refused),
            Expired = Interlocked.Read(ref _expired),
        };
    }

    // Later changes go to the writer at once.
    Task ISlotStateHolder.ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        foreach (ClusterObserverStore observerStore in _observerStores.Keys)
        {
            observerStore.Release(slot);
        }

        Queue.HandOn(slot);
        return Task.CompletedTask;
    }

    public void Add(ClusterObserverStore observerStore) => _observerStores[observerStore] = true;

    public void Remove(ClusterObserverStore observerStore) => _observerStores.TryRemove(observerStore, out _);

    public void NoteTooLong() => Interlocked.Increment(ref _tooLong);

    public void NoteRestored() => Interlocked.Increment(ref _restored);

    public void NoteRefused() => Interlocked.Increment(ref _refused);

    public void NoteExpired() => Interlocked.Increment(ref _expired);

    public void NoteAwaited(int more) => Interlocked.Add(ref _awaited, more);
}
