using System.Runtime.CompilerServices;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// What a node uses of the store, over a network: it answers after a while, is away for all or for this node, and sometimes does what it
/// was asked for and its answer is lost. Nothing comes back to a node that stands still before it goes on, nor ever to a dead one.
/// </summary>
/// <param name="inner">The store.</param>
/// <param name="faults">What happens to the store.</param>
/// <param name="time">The life of the node.</param>
/// <param name="clock">The time of the world.</param>
/// <param name="dice">Chance.</param>
internal sealed class NodeStore(ICoapClusterStore inner, StoreFaults faults, NodeTime time, VirtualClock clock, Dice dice)
    : ICoapClusterStore
{
    private static readonly TimeSpan s_refusal = TimeSpan.FromMilliseconds(50);

    // Writes take effect in the order in which they were asked for, whatever happens to them.
    private readonly SemaphoreSlim _order = new(1);

    /// <summary>Whether this node does not reach the store.</summary>
    public bool IsCut { get; set; }

    public string? Limitation => inner.Limitation;

    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken) =>
        AskAsync(() => inner.JoinAsync(self, lease, CancellationToken.None), cancellationToken);

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        AskAsync(() => inner.TryChangeAsync(wanted, CancellationToken.None), cancellationToken);

    public async ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        await _order.WaitAsync(cancellationToken);
        try
        {
            return await AskAsync(() => inner.WriteAsync(batch, CancellationToken.None), cancellationToken);
        }
        finally
        {
            _order.Release();
        }
    }

    public async IAsyncEnumerable<CoapRecord> ReadAsync(
        CoapRecordKind kind, CoapSlot slot, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        List<CoapRecord> records = await AskAsync(
            async () =>
            {
                List<CoapRecord> read = [];
                await foreach (CoapRecord record in inner.ReadAsync(kind, slot, CancellationToken.None))
                {
                    read.Add(record);
                }

                return read;
            },
            cancellationToken);
        foreach (CoapRecord record in records)
        {
            yield return record;
        }
    }

    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        AskAsync(() => inner.FindAsync(key, CancellationToken.None), cancellationToken);

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) =>
        AskAsync(() => inner.RemoveExpiredAsync(CancellationToken.None), cancellationToken);

    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapClusterSlotMap map in inner.WatchAsync(cancellationToken))
        {
            await TravelAsync(cancellationToken);
            while (IsCut || faults.IsAway)
            {
                await Task.Delay(s_refusal, clock, cancellationToken);
            }

            await time.AwakeAsync().WaitAsync(cancellationToken);
            yield return map;
        }
    }

    public ValueTask DisposeAsync()
    {
        _order.Dispose();
        return time.IsDead ? ValueTask.CompletedTask : inner.DisposeAsync();
    }

    private async ValueTask<T> AskAsync<T>(Func<ValueTask<T>> ask, CancellationToken cancellationToken)
    {
        try
        {
            await TravelAsync(cancellationToken);
            await CheckAsync(cancellationToken);
            T answer = await ask();
            await TravelAsync(cancellationToken);
            await CheckAsync(cancellationToken);
            if (faults.LosesAnswers && dice.Chance(StoreFaults.LostAnswers))
            {
                throw Away();
            }

            return answer;
        }
        finally
        {
            await time.AwakeAsync();
        }
    }

    private Task TravelAsync(CancellationToken cancellationToken) =>
        Task.Delay(TimeSpan.FromMilliseconds(1 + dice.Between(0, faults.Delay)), clock, cancellationToken);

    private async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (IsCut || faults.IsAway)
        {
            await Task.Delay(s_refusal, clock, cancellationToken);
            throw Away();
        }
    }

    private static CoapClusterStoreException Away() => new(CoapClusterStoreFault.Unavailable, "The simulated store cannot be reached.");
}

/// <summary>What happens to the store for all nodes.</summary>
internal sealed class StoreFaults
{
    /// <summary>How many answers of a hundred are lost while answers are lost.</summary>
    public const int LostAnswers = 20;

    /// <summary>How long a way takes at most, in milliseconds.</summary>
    public int Delay { get; set; } = 1;

    /// <summary>Whether nobody reaches it.</summary>
    public bool IsAway { get; set; }

    /// <summary>Whether it does what it is asked for, and sometimes nobody hears of it.</summary>
    public bool LosesAnswers { get; set; }
}
