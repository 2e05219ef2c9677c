using System.Runtime.CompilerServices;
using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// What a node uses of the store, over a network, with the faults of <see cref="StoreFaults"/>. Nothing comes back to a suspended node
/// before it continues, nor ever to a dead one.
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
        AskAsync(() => inner.JoinAsync(self, lease, CancellationToken.None), cancellationToken, isWrite: true);

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        AskAsync(() => inner.TryChangeAsync(wanted, CancellationToken.None), cancellationToken, isWrite: true);

    public async ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        await _order.WaitAsync(cancellationToken);
        try
        {
            return await AskAsync(() => WriteOnceAsync(batch), cancellationToken, isWrite: true);
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
        AskAsync(() => inner.RemoveExpiredAsync(CancellationToken.None), cancellationToken, isWrite: true);

    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapClusterSlotMap map in inner.WatchAsync(cancellationToken))
        {
            await TravelAsync(cancellationToken);
            if (faults.NewsDelay > 0)
            {
                await Task.Delay(TimeSpan.FromMilliseconds(dice.Between(0, faults.NewsDelay)), clock, cancellationToken);
            }

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

    private async ValueTask<CoapWriteResult> WriteOnceAsync(ReadOnlyMemory<CoapRecordWrite> batch)
    {
        if (faults.Tears && batch.Length > 1 && dice.Chance(StoreFaults.TornBatches))
        {
            await inner.WriteAsync(batch[..dice.Between(1, batch.Length)], CancellationToken.None);
            throw Away();
        }

        CoapWriteResult result = await inner.WriteAsync(batch, CancellationToken.None);
        return faults.Doubles ? await inner.WriteAsync(batch, CancellationToken.None) : result;
    }

    private async ValueTask<T> AskAsync<T>(Func<ValueTask<T>> ask, CancellationToken cancellationToken, bool isWrite = false)
    {
        try
        {
            await TravelAsync(cancellationToken);
            await CheckAsync(cancellationToken);
            if (isWrite && faults.Refuses is { } fault)
            {
                throw new CoapClusterStoreException(fault, "The simulated store writes nothing.");
            }

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

    // The exception of a store that does not answer.
    private static CoapClusterStoreException Away() => new(CoapClusterStoreFault.Unavailable, "The simulated store cannot be reached.");
}

/// <summary>What happens to the store for all nodes.</summary>
internal sealed class StoreFaults
{
    /// <summary>How many answers of a hundred are lost while answers are lost.</summary>
    public const int LostAnswers = 20;

    /// <summary>How many batches of a hundred are applied in part while batches are torn.</summary>
    public const int TornBatches = 40;

    /// <summary>The longest time that a call or an answer takes, in milliseconds.</summary>
    public int Delay { get; set; } = 1;

    /// <summary>The longest time by which news of the map is late, in milliseconds.</summary>
    public int NewsDelay { get; set; }

    /// <summary>Whether no node reaches it.</summary>
    public bool IsAway { get; set; }

    /// <summary>Whether it does what it is asked for, and sometimes the answer is lost.</summary>
    public bool LosesAnswers { get; set; }

    /// <summary>Why it refuses all writes and leases, for example a full disk; null if it does not.</summary>
    public CoapClusterStoreFault? Refuses { get; set; }

    /// <summary>Whether some batches are applied in part, and then fail.</summary>
    public bool Tears { get; set; }

    /// <summary>Whether each batch is applied twice.</summary>
    public bool Doubles { get; set; }

    /// <summary>Ends all faults.</summary>
    public void Clear()
    {
        (Delay, NewsDelay) = (1, 0);
        (IsAway, LosesAnswers, Tears, Doubles) = (false, false, false, false);
        Refuses = null;
    }
}
