namespace CoAP.NET.Cluster;

/// <summary>
/// Which devices there are, in the store: a record for each, so that one that is asleep is not unknown, on any node and after a crash. It
/// stands in the slot of its name, so that it is found without asking around. Thread-safe.
/// </summary>
internal sealed class DeviceRecords(CoapCluster cluster, TimeSpan lifetime)
{
    /// <summary>Has it noted that a device was heard, behind the back of whoever heard it.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="record">What is noted.</param>
    /// <param name="isHint">Whether it comes again.</param>
    /// <returns>False when this node does not have the slot of the name.</returns>
    public bool TryNote(ReadOnlySpan<byte> name, DeviceRecord record, bool isHint)
    {
        CoapRecordKey key = KeyOf(name);
        CoapFence fence = cluster.FenceOf(key.Slot);
        if (!fence.IsSet)
        {
            return false;
        }

        cluster.Writer.TryWrite(CoapRecordChange.Put(key, fence, record.ToBytes(), lifetime), isHint);
        return true;
    }

    /// <summary>What is known of a device; null when nothing is.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <exception cref="CoapClusterStoreException">The store cannot be asked now.</exception>
    public async ValueTask<DeviceRecord?> FindAsync(ReadOnlyMemory<byte> name, CancellationToken cancellationToken)
    {
        CoapRecordKey key = KeyOf(name.Span);
        return await cluster.Store.FindAsync(key, cancellationToken).ConfigureAwait(false) is { } record
            ? DeviceRecord.TryRead(record.State.Span)
            : null;
    }

    /// <summary>Forgets a device, and waits until the store has.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>False when this node does not have the slot of the name.</returns>
    public async Task<bool> TryRemoveAsync(ReadOnlyMemory<byte> name, CancellationToken cancellationToken)
    {
        CoapRecordKey key = KeyOf(name.Span);
        CoapFence fence = cluster.FenceOf(key.Slot);
        return fence.IsSet && await cluster.Writer.WriteAsync(CoapRecordChange.Remove(key, fence), cancellationToken)
            .ConfigureAwait(false) == CoapWriteOutcome.Written;
    }

    private static CoapRecordKey KeyOf(ReadOnlySpan<byte> name) => new(CoapRecordKind.Device, CoapSlot.OfName(name), name);
}
