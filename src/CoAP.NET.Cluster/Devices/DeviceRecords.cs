namespace CoAP.NET.Cluster;

/// <summary>
/// The stored records of all devices. With them a sleeping device is known on every node, also after a crash. A record is in the slot of
/// the device's name and is found without a search. Thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="lifetime">The lifetime of a record after its last write.</param>
/// <param name="fenceOf">Returns the fence for a write; null for that of the slots of this node.</param>
internal sealed class DeviceRecords(CoapCluster cluster, TimeSpan lifetime, Func<CoapSlot, CoapFence>? fenceOf = null)
{
    private readonly Func<CoapSlot, CoapFence> _fenceOf = fenceOf ?? cluster.FenceOf;

    /// <summary>Notes a message of a device, asynchronously.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="record">The record.</param>
    /// <param name="isHint">Whether further notes will follow.</param>
    /// <returns>False if there is no fence, such as that of a slot of another node.</returns>
    public bool TryNote(ReadOnlySpan<byte> name, DeviceRecord record, bool isHint)
    {
        CoapRecordKey key = KeyOf(name);
        CoapFence fence = _fenceOf(key.Slot);
        if (!fence.IsSet)
        {
            return false;
        }

        cluster.Writer.TryWrite(CoapRecordChange.Put(key, fence, record.ToBytes(), lifetime), isHint);
        return true;
    }

    /// <summary>Returns the record of a device; null if there is none.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapClusterStoreException">The store is not available now.</exception>
    public async ValueTask<DeviceRecord?> FindAsync(ReadOnlyMemory<byte> name, CancellationToken cancellationToken)
    {
        CoapRecordKey key = KeyOf(name.Span);
        return await cluster.Store.FindAsync(key, cancellationToken).ConfigureAwait(false) is { } record
            ? DeviceRecord.TryRead(record.State.Span)
            : null;
    }

    /// <summary>Forgets a device, and waits for the store.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if there is no fence, such as that of a slot of another node.</returns>
    public async Task<bool> TryRemoveAsync(ReadOnlyMemory<byte> name, CancellationToken cancellationToken)
    {
        CoapRecordKey key = KeyOf(name.Span);
        CoapFence fence = _fenceOf(key.Slot);
        return fence.IsSet && await cluster.Writer.WriteAsync(CoapRecordChange.Remove(key, fence), cancellationToken)
            .ConfigureAwait(false) == CoapWriteOutcome.Written;
    }

    private static CoapRecordKey KeyOf(ReadOnlySpan<byte> name) => new(CoapRecordKind.Device, CoapSlot.OfName(name), name);
}
