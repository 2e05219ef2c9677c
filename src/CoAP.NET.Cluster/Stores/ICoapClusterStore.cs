namespace CoAP.NET.Cluster;

/// <summary>
/// Where a cluster keeps what must outlive a node: who is there, who has which slot under which fence, and records. One object is what one
/// node uses. Engines: <see cref="CoapMemoryCluster"/>, and those of the packages <c>CoAP.NET.Cluster.Sqlite</c> and
/// <c>CoAP.NET.Cluster.PostgreSql</c>.
/// </summary>
/// <remarks>
/// <para>
/// Fences. A change holds when its fence is the newest of its slot at the moment of the write. Engines decide that under a lock which a
/// change of the map must take too: a write that meets a change of the map under way waits for it and falls out, and a change of the map
/// that meets a write waits for it, so that the new owner reads it. What falls out holds up nothing else of its batch.
/// </para>
/// <para>
/// Order. Writes of one object take effect in the order in which they were asked for. One that failed or was cancelled may have taken
/// effect or not; if it has, then before any that was asked for later. So a promise that was confirmed, such as a reserve of record
/// numbers, is never undone by an older one that was late.
/// </para>
/// <para>
/// Time. Leases and lifetimes are counted by the store, so that clocks of nodes need not agree. A batch is written as a whole: after a
/// crash all of it is there, or nothing.
/// </para>
/// <para>
/// Methods may be called by several threads at a time. They throw <see cref="CoapClusterStoreException"/> when the store fails, and
/// <see cref="ObjectDisposedException"/> after its end. A cancellation ends the wait, and not always the work. An object of an engine does
/// nothing before it is first asked for something, and finds back to a store that was away by itself.
/// </para>
/// </remarks>
public interface ICoapClusterStore : IAsyncDisposable
{
    /// <summary>
    /// Makes the lease of a node, or renews it. Whoever does not renew it in time is not there any more; engines that notice the end of a
    /// process sooner say so sooner. Disposing of the object gives the lease back at once.
    /// </summary>
    /// <param name="self">The node, the same in each call.</param>
    /// <param name="lease">How long it counts as there, from 100 ms to 1 hour.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The map, with the node in it.</returns>
    ValueTask<CoapClusterMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken);

    /// <summary>
    /// Gives the map as it is, and then whenever nodes came or went or slots changed hands: always the newest one, so a slow reader misses
    /// those between. It goes on when the store was away.
    /// </summary>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The maps.</returns>
    IAsyncEnumerable<CoapClusterMap> WatchAsync(CancellationToken cancellationToken);

    /// <summary>
    /// Takes a change of the map, if nobody changed it since the map that it was made of (<see cref="CoapClusterMap.Assign"/>).
    /// </summary>
    /// <param name="wanted">The changed map.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>Whether it was taken. If not, somebody was quicker: look again.</returns>
    ValueTask<bool> TryChangeAsync(CoapClusterMap wanted, CancellationToken cancellationToken);

    /// <summary>
    /// Puts and removes records. When it has ended, what it says was written survives a crash of the process and, with engines that keep
    /// anything, of the machine.
    /// </summary>
    /// <param name="batch">The changes, each of another key; at most <see cref="CoapRecordBatch.MaxCount"/>.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>For each change whether its fence held.</returns>
    /// <exception cref="ArgumentException">It is no batch; see <see cref="CoapRecordBatch.Check"/>.</exception>
    ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordChange> batch, CancellationToken cancellationToken);

    /// <summary>
    /// Reads the records of a kind and slot, those whose lifetime has ended left out. What is there during the whole read and is not
    /// changed is given exactly once; what is changed meanwhile as it was or as it is.
    /// </summary>
    /// <param name="kind">The kind.</param>
    /// <param name="slot">The slot.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The records, in no order.</returns>
    IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken);

    /// <summary>Finds a record.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>The record; null when there is none, or its lifetime has ended.</returns>
    ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken);

    /// <summary>
    /// Removes records whose lifetime has ended, which nobody can read any more, to make room. One call takes a bounded time.
    /// </summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>How many it removed. When it is <see cref="CoapRecordBatch.MaxCount"/>, there may be more.</returns>
    ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken);
}
