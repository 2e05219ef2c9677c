using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The entries of a table in a cluster: counts changes, remembers removals, and writes removals that must be durable.</summary>
internal sealed class ClusterTableContents(
    CoapCluster cluster, CoapRecordKind kind, ICoapTableRules rules, TimeProvider time, ILogger logger)
    : TableContents(rules, time, logger, static () => new ClusterTableSlot())
{
    private static readonly long s_endAgain = TimeSpan.FromSeconds(1).Ticks;

    /// <summary>The contents of a slot.</summary>
    public ClusterTableSlot this[CoapSlot slot] => (ClusterTableSlot)base[slot.Number];

    /// <summary>Returns the record key of an entry.</summary>
    public CoapRecordKey RecordKeyOf(ReadOnlySpan<byte> key) => new(kind, new CoapSlot(key[0]), key);

    /// <summary>Puts an entry as the newest change of its slot, or as received.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="data">Its key and value, whose ownership passes; see <see cref="TableEntry.DataOf"/>.</param>
    /// <param name="keyLength">The length of the key.</param>
    /// <param name="expires">Its end.</param>
    /// <param name="number">The number of the change.</param>
    /// <param name="version">The number of times it was put.</param>
    /// <param name="isDurable">Whether the store has confirmed it.</param>
    public void Put(ClusterTableSlot slot, byte[] data, int keyLength, long expires, long number, ushort version, bool isDurable)
    {
        int index = Put(slot, data, keyLength, expires, number);
        slot.Entries[index].Version = version;
        slot.Entries[index].IsDurable = isDurable;
    }

    /// <summary>Removes an entry, as the newest change of its slot.</summary>
    public void RemoveNext(ClusterTableSlot slot, int index, bool isExpired)
    {
        slot.Number++;
        slot.NoteRemoval(new CoapTableKey(slot.Entries[index].Key), isExpired);
        Remove(slot, index, isExpired);
    }

    /// <summary>Queues an entry for the store.</summary>
    public void WriteLater(ClusterTableSlot slot, int index)
    {
        ref TableEntry entry = ref slot.Entries[index];
        TimeSpan left = RemainingOf(entry.Expires);
        if (left != TimeSpan.Zero)
        {
            cluster.Writer.TryWrite(CoapRecordChange.Put(RecordKeyOf(entry.Key), slot.Fence,
                TableRecord.StateOf(entry.Version, entry.Number - 1, entry.Value.Span), left));
        }
    }

    protected override void End(TableSlot ended, int index)
    {
        ClusterTableSlot slot = (ClusterTableSlot)ended;
        ref TableEntry entry = ref slot.Entries[index];
        if (slot.Pending?.ContainsKey(new CoapTableKey(entry.Key)) == true)
        {
            // The pending write renews its lifetime, or removes it.
            slot.Entries.SetExpires(index, Now + s_endAgain);
            return;
        }

        if (!entry.IsDurable)
        {
            // Its value may still wait for the store, which would start its lifetime then.
            cluster.Writer.TryWrite(CoapRecordChange.Remove(RecordKeyOf(entry.Key), slot.Fence));
        }

        cluster.Counts.Add(ClusterMetric.TableExpired);
        RemoveNext(slot, index, isExpired: true);
        cluster.Tables.OnChanged(kind);
    }
}
