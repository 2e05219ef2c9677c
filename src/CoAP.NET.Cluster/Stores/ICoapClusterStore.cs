namespace CoAP.NET.Cluster;

/// <summary>
/// The store of a cluster: leases of nodes, owners and fences of slots, and records. Each node uses one object. Engines:
/// <see cref="CoapMemoryCluster"/>, and those of the packages <c>CoAP.NET.Cluster.Sqlite</c> and <c>CoAP.NET.Cluster.PostgreSql</c>.
/// </summary>
/// <remarks>
/// <para>
/// Fences. A change is accepted if its fence is the newest of its slot at the moment of the write. Engines decide that under a lock that
/// changes of the map take as well: a write during a change of the map waits for it and is then rejected, and a change of the map during a
/// write waits for it, so that the new owner reads it. A rejected change does not affect the rest of its batch.
/// </para>
/// <para>
/// Order. The writes of one object take effect in the order of the calls. A write that failed or was cancelled may have taken effect or
/// not; if it has, then before all later ones. So a confirmed promise, such as a reservation of record numbers, is never undone by an older
/// write that was delayed.
/// </para>
/// <para>
/// Time. The store measures leases and lifetimes, so the clocks of nodes need not agree. A batch is atomic: after a crash all of it is
/// there, or nothing.
/// </para>
/// <para>
/// Thread-safe. Methods throw <see cref="CoapClusterStoreException"/> when the store fails, and <see cref="ObjectDisposedException"/> after
/// disposal. Cancellation stops the wait, not always the work. An engine opens nothing before the first call, and reconnects by itself to a
/// store that was unavailable.
/// </para>
/// </remarks>
public interface ICoapClusterStore : IAsyncDisposable
{
    /// <summary>
    /// Creates or renews the lease of a node, and publishes what the node says about itself. A node that does not renew its lease in time
    /// is no longer live; engines that notice the end of a process remove it sooner. Disposing of the object gives the lease back at once.
    /// </summary>
    /// <param name="self">The node. Its id is the same in each call.</param>
    /// <param name="lease">How long the node counts as live, from 100 ms to 1 hour.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The map, with the node in it.</returns>
    ValueTask<CoapClusterMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>
    /// Returns the current map, and a new one whenever nodes joined or left or slots changed their owner: always the newest, so a slow
    /// reader skips those between. It continues after the store was unavailable.
    /// </summary>
    /// <param name="cancellationToken">Stops the enumeration.</param>
    /// <returns>The maps.</returns>
    IAsyncEnumerable<CoapClusterMap> WatchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Changes the map, unless it changed since the one that the change was made of (<see cref="CoapClusterMap.Assign"/>).
    /// </summary>
    /// <param name="wanted">The changed map.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>True if the change was accepted. False if another node was faster: read the map again.</returns>
    ValueTask<bool> TryChangeAsync(CoapClusterMap wanted, CancellationToken cancellationToken);

    /// <summary>
    /// Puts and removes records. When the task has completed, the accepted changes survive a crash of the process and, with engines that
    /// are durable, of the machine.
    /// </summary>
    /// <param name="batch">The changes, each of another key; at most <see cref="CoapRecordBatch.MaxCount"/>.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>For each change whether it was accepted under its fence.</returns>
    /// <exception cref="ArgumentException">The batch is invalid; see <see cref="CoapRecordBatch.Check"/>.</exception>
    ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordChange> batch, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the records of a kind and slot whose lifetime has not ended. A record that exists and does not change during the whole read is
    /// returned exactly once; one that changes meanwhile is returned as it was before or after the change.
    /// </summary>
    /// <param name="kind">The kind.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The records, in no order.</returns>
    IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken);

    /// <summary>Finds a record.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The record; null if there is none or its lifetime has ended.</returns>
    ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken);

    /// <summary>
    /// Deletes records whose lifetime has ended, to free space. One call deletes at most <see cref="CoapRecordBatch.MaxCount"/>.
    /// </summary>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>How many it deleted. If that is <see cref="CoapRecordBatch.MaxCount"/>, there may be more.</returns>
    ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken);
}
