using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Stores;

/// <summary>The store of a cluster: leases of nodes, owners and fences of slots, and records. Each node uses one object.</summary>
/// <remarks>
/// Engines are <see cref="CoapMemoryCluster"/>, and those of the packages <c>CoAP.NET.Cluster.Sqlite</c> and
/// <c>CoAP.NET.Cluster.PostgreSql</c>.
/// <para>Fences. A change is accepted if its fence is the newest of its slot at the moment of the write. Engines decide that under a lock
/// that changes of the map take as well. A write during a change of the map waits for it and is then rejected. A change of the map during a
/// write waits for it, so that the new owner reads it. A rejected change does not affect the rest of its batch.</para>
/// <para>Order. The writes of one object take effect in the order of the calls. A failed or canceled write may or may not have taken
/// effect; if it has, then before all later ones. A confirmed promise, such as a reservation of record numbers, is therefore never undone
/// by an older, delayed write.</para>
/// <para>Time. The store measures leases and lifetimes, so the clocks of nodes may differ. A batch is atomic: after a crash either all of
/// it is stored, or nothing.</para>
/// <para>Thread-safe. Methods throw <see cref="CoapClusterStoreException"/> when the store fails, and <see cref="ObjectDisposedException"/>
/// after disposal. Cancellation stops the wait, not always the work. An engine opens nothing before the first call, and reconnects on its
/// own to a store that was unavailable.</para>
/// </remarks>
internal interface ICoapClusterStore : IAsyncDisposable
{
    /// <summary>
    /// What the store cannot promise with its present setup, and what an operator can do; null for nothing. Known after a call.
    /// </summary>
    string? Limitation { get; }

    /// <summary>Creates or renews the lease of a node, and publishes the description of the node.</summary>
    /// <remarks>
    /// A node that does not renew its lease in time is no longer live; engines that notice the end of a process remove it sooner. Disposing
    /// of the object releases the lease at once.
    /// </remarks>
    /// <param name="self">The node. Its id is the same in each call.</param>
    /// <param name="lease">The time for which the node counts as live, from 100 ms to 1 hour.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The map with the node.</returns>
    ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>Returns the current map, and a new one whenever nodes joined or left or slots changed their owner.</summary>
    /// <remarks>
    /// It always returns the newest map; a slow reader skips those between. It continues after the store was unavailable.
    /// </remarks>
    IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Changes the map, unless it changed since the map that the change is based on (<see cref="CoapClusterSlotMap.Assign"/>).
    /// </summary>
    /// <returns>True if the change was accepted. False if another node was faster: read the map again.</returns>
    ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken);

    /// <summary>Puts and removes records.</summary>
    /// <remarks>
    /// When the task has completed, the accepted changes survive a crash of the process and, with durable engines, of the machine.
    /// </remarks>
    /// <param name="batch">The changes, each with another key; at most <see cref="RecordBatchValidator.MaxCount"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>For each change whether its fence was accepted.</returns>
    /// <exception cref="ArgumentException">The batch is invalid; see <see cref="RecordBatchValidator.Check"/>.</exception>
    ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken);

    /// <summary>Reads the records of a kind and slot whose lifetime has not ended.</summary>
    /// <remarks>
    /// A record that exists and does not change during the whole read is returned exactly once; one that changes meanwhile is returned as
    /// before or after the change.
    /// </remarks>
    /// <returns>The records, unordered.</returns>
    IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken);

    /// <summary>Finds a record.</summary>
    /// <returns>The record; null if there is none or its lifetime has ended.</returns>
    ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes records whose lifetime has ended, to free space. One call deletes at most <see cref="RecordBatchValidator.MaxCount"/>.
    /// </summary>
    /// <returns>The number of deleted records. If it is <see cref="RecordBatchValidator.MaxCount"/>, there may be more.</returns>
    ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken);
}
