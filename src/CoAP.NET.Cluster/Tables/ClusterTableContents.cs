using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The entries of a table of a cluster: counts changes, remembers removals, and writes what must not come back.</summary>
internal sealed class ClusterTableContents(
    CoapCluster cluster, CoapRecordKind kind, ICoapTableRules rules, TimeProvider time, ILogger logger)
    : TableContents(rules, time, logger)
{
    private static readonly long s_endAgain = TimeSpan.FromSeconds(1).Ticks;

    /// <summary>The key of the record of an entry.</summary>
    public CoapRecordKey RecordKeyOf(ReadOnlySpan<byte> key) => new(kind, new CoapSlot(key[0]), key);

    /// <summary>Puts an entry as the newest change of its slot, or as it was heard.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="data">Its key and value, which are taken over; see <see cref="TableEntry.DataOf"/>.</param>
    /// <param name="keyLength">How many bytes are its key.</param>
    /// <param name="expires">When it ends.</param>
    /// <param name="number">The number of the change.</param>
    /// <param name="version">How often it was put.</param>
    /// <param name="isDurable">Whether the store has confirmed it.</param>
    public void Put(TableSlot slot, byte[] data, int keyLength, long expires, long number, ushort version, bool isDurable)
    {
        int index = Put(slot, data, keyLength, expires, number);
        slot.Entries[index].Version = version;
        slot.Entries[index].IsDurable = isDurable;
    }

    /// <summary>Removes an entry, as the newest change of its slot.</summary>
    public void RemoveNext(TableSlot slot, int index, bool isExpired)
    {
        slot.Number++;
        slot.NoteRemoval(new CoapTableKey(slot.Entries[index].Key), isExpired);
        Remove(slot, index, isExpired);
    }

    /// <summary>Writes an entry later.</summary>
    public void WriteLater(TableSlot slot, int index)
    {
        ref TableEntry entry = ref slot.Entries[index];
        TimeSpan left = RemainingOf(entry.Expires);
        if (left != TimeSpan.Zero)
        {
            cluster.Writer.TryWrite(CoapRecordChange.Put(RecordKeyOf(entry.Key), slot.Fence,
                TableRecord.StateOf(entry.Version, entry.Number - 1, entry.Value.Span), left));
        }
    }

    protected override void End(TableSlot slot, int index)
    {
        ref TableEntry entry = ref slot.Entries[index];
        if (slot.Pending?.ContainsKey(new CoapTableKey(entry.Key)) == true)
        {
            // What waits for the store begins its lifetime anew, or removes it.
            slot.Entries.SetExpires(index, Now + s_endAgain);
            return;
        }

        if (!entry.IsDurable)
        {
            // Its value may still wait for the store, which would count its lifetime from then on.
            cluster.Writer.TryWrite(CoapRecordChange.Remove(RecordKeyOf(entry.Key), slot.Fence));
        }

        cluster.Counts.Add(ClusterMetric.TableExpired);
        RemoveNext(slot, index, isExpired: true);
        cluster.Tables.OnChanged(kind);
    }
}
