using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>A store that answers late answers all nodes late: a lease that ended meanwhile is no sign of death.</summary>
public sealed class StalledStoreTests
{
    private static readonly TimeSpan s_lease = FromSeconds(5);
    private static readonly CoapSlot s_slot = new(1);

    private readonly VirtualClock _clock = new();

    [Fact]
    public async Task A_standby_takes_over_after_a_store_stall_only_if_the_active_node_does_not_return_within_a_lease()
    {
        CoapMemoryCluster memory = new(_clock);
        await using CoapSealedClusterStore active = ClusterTests.Open(memory);
        CoapClusterNode owner = new(CoapNodeId.New(), "");
        CoapClusterSlotMap map = await active.JoinAsync(owner, s_lease, default);
        Assert.True(await active.TryChangeAsync(map.Assign(owner.Id, CoapSlot.All), default));
        StallingStore store = new(memory.Open());
        await using CoapCluster standby = new(store, ClusterTests.Options(s_lease), _clock);
        await standby.StartAsync();
        Assert.Equal(owner.Id, standby.Map[s_slot].Node);
        int timers = _clock.TimerCount;

        // A renewal begins, and ends when the leases of both nodes have ended.
        store.Stall();
        _clock.Advance(s_lease / 5);
        await store.IsWaitedFor;
        _clock.Advance(s_lease + FromSeconds(1));
        store.Resume();

        // The renewal is over when its next one is due: with the timers of before but that of the lease of the active node.
        await Eventually.IsTrueAsync(() => !standby.Map.IsThere(owner.Id) && _clock.TimerCount == timers - 1);
        Assert.Equal(0, store.ChangeCount);
        Assert.Equal(CoapSlot.Count, (await active.JoinAsync(owner, s_lease, default)).SlotsOf(owner.Id).Count);

        // The active node is back, and then dies.
        await Eventually.IsTrueAsync(() => standby.Map.IsThere(owner.Id));
        for (int looks = 0; !standby.FenceOf(s_slot).IsSet; looks++)
        {
            _clock.Advance(s_lease / 5);
            await Eventually.PauseAsync(looks);
        }
    }

    private sealed class StallingStore(ICoapClusterStore inner) : ICoapClusterStore
    {
        private readonly TaskCompletionSource _waited = new(RunContinuationsAsynchronously);
        private volatile TaskCompletionSource? _stall;
        private int _changes;

        public Task IsWaitedFor => _waited.Task;

        public int ChangeCount => Volatile.Read(ref _changes);

        public void Stall() => _stall = new TaskCompletionSource(RunContinuationsAsynchronously);

        public void Resume()
        {
            _stall!.SetResult();
            _stall = null;
        }

        public string? Limitation => inner.Limitation;

        public async ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
        {
            if (_stall is { } stall)
            {
                _waited.TrySetResult();
                await stall.Task.WaitAsync(cancellationToken);
            }

            return await inner.JoinAsync(self, lease, cancellationToken);
        }

        public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
        {
            await foreach (CoapClusterSlotMap map in inner.WatchAsync(cancellationToken))
            {
                if (_stall is { } stall)
                {
                    await stall.Task.WaitAsync(cancellationToken);
                }

                yield return map;
            }
        }

        public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _changes);
            return inner.TryChangeAsync(wanted, cancellationToken);
        }

        public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken) =>
            inner.WriteAsync(batch, cancellationToken);

        public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
            inner.ReadAsync(kind, slot, cancellationToken);

        public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
            inner.FindAsync(key, cancellationToken);

        public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => inner.RemoveExpiredAsync(cancellationToken);

        public ValueTask DisposeAsync() => inner.DisposeAsync();
    }
}
