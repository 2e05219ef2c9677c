using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tables;

/// <summary>The entries of a table in a cluster: tells other nodes of changes, and ends what has expired.</summary>
internal sealed class ClusterReplicatedTableContents(
    CoapCluster cluster, CoapRecordKind kind, ICoapReplicatedTableRules rules, TimeProvider time, ILogger logger, TableUpdatePublisher news)
    : TableContents(rules, time, logger, static () => new ClusterReplicatedTableSlot())
{
    private static readonly long s_endAgain = TimeSpan.FromSeconds(1).Ticks;

    public WakeSignal ToRead { get; } = new();

    public ClusterReplicatedTableSlot this[CoapSlot slot] => (ClusterReplicatedTableSlot)base[slot.Number];

    public CoapRecordKey RecordKeyOf(ReadOnlySpan<byte> key) => new(kind, new CoapSlot(key[0]), key);

    /// <summary>Puts an entry as decided here.</summary>
    public void PutNext(ClusterReplicatedTableSlot slot, CoapTableKey key, in CoapTableDecision decision, ushort version, bool isDurable)
    {
        Put(slot, TableEntry.DataOf(key.Bytes, decision.Value.Span), key.Bytes.Length, EndOf(decision.Lifetime), version, isDurable);
        cluster.Counts.Add(ClusterMetric.TablePut);
        news.Add(key);
    }

    /// <summary>Removes an entry as decided here.</summary>
    public void RemoveNext(ClusterReplicatedTableSlot slot, CoapTableKey key, int index, bool isExpired)
    {
        Remove(slot, index, isExpired);
        cluster.Counts.Add(isExpired ? ClusterMetric.TableExpired : ClusterMetric.TableRemoved);
        news.Add(key);
    }

    /// <summary>Shows an entry as the store has it.</summary>
    /// <returns>Its index.</returns>
    public int Show(ClusterReplicatedTableSlot slot, in TableRecord record)
    {
        int index = slot.Entries.Find(record.Key);
        if (index != TableSlotEntries.None && slot.Entries[index].Version == record.Version
            && slot.Entries[index].Value.Span.SequenceEqual(record.Value))
        {
            slot.Entries[index].IsDurable = true;
            Renew(slot, index, EndOf(record.Lifetime));
            return index;
        }

        cluster.Counts.Add(ClusterMetric.TableReceived, slot.IsLoaded ? 1 : 0);
        return Put(slot, record.Data, record.KeyLength, EndOf(record.Lifetime), record.Version, isDurable: true);
    }

    /// <summary>Removes an entry that the store does not have any more.</summary>
    public void Drop(ClusterReplicatedTableSlot slot, int index)
    {
        cluster.Counts.Add(ClusterMetric.TableReceived);

        // The clocks of the store and of the owner may be ahead.
        Remove(slot, index, isExpired: slot.Entries[index].Expires <= Now + (2 * s_endAgain));
    }

    protected override void End(TablePartition ended, int index)
    {
        ClusterReplicatedTableSlot slot = (ClusterReplicatedTableSlot)ended;
        ref TableEntry entry = ref slot.Entries[index];
        CoapTableKey key = new(entry.Key);
        if (!slot.IsOwned)
        {
            // Its owner may have renewed it, and the store knows that.
            slot.Want(key);
            slot.Entries.SetExpires(index, Now + s_endAgain);
            ToRead.Wake();
            return;
        }

        if (slot.Pending?.ContainsKey(key) == true)
        {
            // The pending write renews its lifetime, or removes it.
            slot.Entries.SetExpires(index, Now + s_endAgain);
            return;
        }

        if (!entry.IsDurable)
        {
            // Its value may still wait for the store, which would start its lifetime then.
            cluster.Writer.TryWrite(CoapRecordWrite.Remove(RecordKeyOf(entry.Key), slot.Fence));
        }

        RemoveNext(slot, key, index, isExpired: true);
    }

    private int Put(ClusterReplicatedTableSlot slot, byte[] data, int keyLength, long expires, ushort version, bool isDurable)
    {
        int index = Put(slot, data, keyLength, expires);
        slot.Entries[index].Version = version;
        slot.Entries[index].IsDurable = isDurable;
        return index;
    }
}
