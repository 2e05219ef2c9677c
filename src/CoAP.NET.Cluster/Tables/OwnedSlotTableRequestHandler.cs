using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Decides about the slots that this node owns. A durable change takes place after the store has confirmed it; unconfirmed changes are not
/// visible, neither here nor at other nodes. Questions about the same entry wait meanwhile. Thread-safe.
/// </summary>
internal sealed class OwnedSlotTableRequestHandler(
    CoapCluster cluster, ClusterReplicatedTableContents contents, CoapReplicatedTableOptions options, TableRequestLimiter waits)
{
    /// <summary>Calls the rules, if this node decides about the slot.</summary>
    /// <exception cref="CoapTableUnavailableException">There is no room.</exception>
    public SlotOwnerAnswer Ask(CoapNodeId node, CoapTableKey key, ReadOnlyMemory<byte> question)
    {
        ClusterReplicatedTableSlot slot = contents[new CoapSlot(key.Slot)];
        CoapFencingToken fence = cluster.FenceOf(new CoapSlot(key.Slot));
        lock (slot.Gate)
        {
            if (!slot.IsOwned || slot.Fence != fence)
            {
                return new SlotOwnerAnswer(TableRequestState.Elsewhere);
            }

            if (slot.Pending?.TryGetValue(key, out Task<bool>? pending) == true)
            {
                return new SlotOwnerAnswer(TableRequestState.Waiting, Wait: pending);
            }

            CoapTableDecision decision = contents.Decide(slot, key, question, out int index);
            bool isThere = index != TableSlotEntries.None;
            if (decision.IsPut)
            {
                TableSizeLimiter.ThrowIfFull(contents, slot, index, key, decision, options);
                ushort version = (ushort)(isThere ? slot.Entries[index].Version + 1 : 1);
                if (isThere && !decision.IsDurable)
                {
                    // First, so that the notification of other nodes waits for it.
                    cluster.Writer.TryWrite(ChangeOf(key, fence, decision, version));
                    contents.PutNext(slot, key, decision, version, isDurable: false);
                    return new SlotOwnerAnswer(TableRequestState.Replied, decision.Reply);
                }

                return Write(slot, node, key, decision, version, ChangeOf(key, fence, decision, version));
            }

            return decision.IsRemoval && isThere
                ? Write(slot, node, key, decision, 0, CoapRecordWrite.Remove(contents.RecordKeyOf(key.Bytes), fence))
                : new SlotOwnerAnswer(TableRequestState.Replied, decision.Reply);
        }
    }

    /// <summary>Gives up a slot, and waits for the store to confirm pending changes.</summary>
    public Task ReleaseAsync(CoapSlot slot)
    {
        ClusterReplicatedTableSlot released = contents[slot];
        lock (released.Gate)
        {
            // It may not be loaded yet; loading must then not start.
            released.IsOwned = false;
            released.Released = cluster.FenceOf(slot);
            return Task.WhenAll(released.Pending?.Values ?? Enumerable.Empty<Task>());
        }
    }

    private CoapRecordWrite ChangeOf(CoapTableKey key, CoapFencingToken fence, in CoapTableDecision decision, ushort version) =>
        CoapRecordWrite.Put(
            contents.RecordKeyOf(key.Bytes), fence, TableRecord.StateOf(version, decision.Value.Span), decision.Lifetime);

    // Requires the gate. The store may be unavailable for long, and no single node may fill the queue for it.
    private SlotOwnerAnswer Write(
        ClusterReplicatedTableSlot slot, CoapNodeId node, CoapTableKey key, CoapTableDecision decision, ushort version,
            CoapRecordWrite change)
    {
        waits.Enter(node, change.State.Length);
        Task<bool> done = FinishAsync(slot, node, key, decision, version, change);
        (slot.Pending ??= []).Add(key, done);
        return new SlotOwnerAnswer(TableRequestState.Writing, decision.Reply, done);
    }

    // Returns whether the store has confirmed it; otherwise another node owns the slot.
    private async Task<bool> FinishAsync(
        ClusterReplicatedTableSlot slot, CoapNodeId node, CoapTableKey key, CoapTableDecision decision, ushort version,
            CoapRecordWrite change)
    {
        Task<CoapWriteOutcome> write = cluster.Writer.WriteAsync(change, CancellationToken.None);
        await ((Task)write).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        bool isWritten = write.IsCompletedSuccessfully && await write.ConfigureAwait(false) == CoapWriteOutcome.Written;
        waits.Leave(node, change.State.Length);
        lock (slot.Gate)
        {
            slot.Pending!.Remove(key);
            if (slot.Pending.Count == 0)
            {
                slot.Pending = null;
            }

            // Otherwise a new owner has it from the store, and this node reads it there.
            if (isWritten && slot.Fence == change.Fence)
            {
                Apply(slot, key, decision, version);
            }
            else if (write.IsCompletedSuccessfully && slot.Fence == change.Fence)
            {
                // Another node owns it, and the map with this change is on its way.
                slot.IsOwned = false;
                slot.Released = slot.Fence;
            }
        }

        return isWritten || await write.ConfigureAwait(false) == CoapWriteOutcome.Written;
    }

    private void Apply(ClusterReplicatedTableSlot slot, CoapTableKey key, in CoapTableDecision decision, ushort version)
    {
        if (decision.IsPut)
        {
            contents.PutNext(slot, key, decision, version, isDurable: true);
        }
        else if (slot.Entries.Find(key.Bytes) is not TableSlotEntries.None and var index)
        {
            contents.RemoveNext(slot, key, index, isExpired: false);
        }
    }
}
