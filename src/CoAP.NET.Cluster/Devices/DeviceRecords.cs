using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Devices;

/// <summary>
/// The stored records of all devices. With them a sleeping device is known on every node, also after a crash. A record is in the slot of
/// the device's name and is found without a search. Thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="lifetime">The lifetime of a record after its last write.</param>
internal sealed class DeviceRecords(CoapCluster cluster, TimeSpan lifetime)
{
    /// <summary>
    /// Returns the fence for a write. If several nodes are active, each may write a record; the newest write wins. A standby node writes
    /// none.
    /// </summary>
    public CoapFencingToken FenceOf(string name) =>
        cluster.Peers.IsOn ? cluster.Map[DeviceName.SlotOf(name)].Fence : cluster.FenceOf(DeviceName.SlotOf(name));

    /// <summary>Notes a message of a device, asynchronously.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="fence">The fence (<see cref="FenceOf"/>).</param>
    /// <param name="record">The record.</param>
    /// <param name="isHint">Whether further notes will follow.</param>
    /// <returns>False if the fence is not set.</returns>
    public bool TryNote(string name, CoapFencingToken fence, DeviceRecord record, bool isHint)
    {
        if (!fence.IsSet)
        {
            return false;
        }

        cluster.Writer.TryWrite(CoapRecordWrite.Put(KeyOf(name), fence, record.ToBytes(), lifetime), isHint);
        return true;
    }

    /// <summary>Returns the record of a device; null if there is none.</summary>
    /// <exception cref="CoapClusterStoreException">The store is not available now.</exception>
    public async ValueTask<DeviceRecord?> FindAsync(string name, CancellationToken cancellationToken) =>
        await cluster.Store.FindAsync(KeyOf(name), cancellationToken).ConfigureAwait(false) is { } record
            ? DeviceRecord.TryRead(record.State.Span)
            : null;

    /// <summary>Forgets a device, and waits for the store.</summary>
    /// <returns>False if there is no fence, such as that of a slot of another node.</returns>
    public async Task<bool> TryRemoveAsync(string name, CancellationToken cancellationToken)
    {
        CoapFencingToken fence = FenceOf(name);
        return fence.IsSet && await cluster.Writer.WriteAsync(CoapRecordWrite.Remove(KeyOf(name), fence), cancellationToken)
            .ConfigureAwait(false) == CoapWriteOutcome.Written;
    }

    private static CoapRecordKey KeyOf(string name) =>
        new(CoapRecordKind.Device, DeviceName.SlotOf(name), DeviceName.Encode(name));
}
