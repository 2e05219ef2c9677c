using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>
/// Loads the records of a kind for slots that this node gets, once under each fence. One caller loads at a time; otherwise thread-safe.
/// </summary>
/// <param name="cluster">The node.</param>
/// <param name="kind">The kind.</param>
internal sealed class SlotRecordLoader(CoapCluster cluster, CoapRecordKind kind)
{
    // The fence under which each slot was loaded.
    private readonly long[] _loaded = new long[CoapSlot.Count];

    /// <summary>Whether this node has a slot whose records are not loaded.</summary>
    public bool IsBehind => CoapSlot.All.Any(IsDue);

    /// <summary>Returns the fence of a slot whose records are loaded; unset if they are not, or the slot is not here.</summary>
    public CoapFencingToken FenceOf(CoapSlot slot) => cluster.FenceOf(slot) is var fence && IsLoaded(slot, fence) ? fence : default;

    /// <summary>Loads the records of slots that are not loaded.</summary>
    /// <param name="load">Takes the fence of a slot, and its records, which count as loaded under that fence afterwards.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <exception cref="CoapClusterStoreException">The store is unavailable. The slots before that are loaded.</exception>
    public async Task LoadAsync(Action<CoapFencingToken, List<CoapRecord>> load, CancellationToken cancellationToken)
    {
        foreach (CoapSlot slot in CoapSlot.All.Where(IsDue))
        {
            CoapFencingToken fence = cluster.FenceOf(slot);
            List<CoapRecord> records = [];
            await foreach (CoapRecord record in cluster.Store.ReadAsync(kind, slot, cancellationToken).ConfigureAwait(false))
            {
                records.Add(record);
            }

            load(fence, records);
            Volatile.Write(ref _loaded[slot.Number], fence.Value);
        }
    }

    private bool IsDue(CoapSlot slot) => cluster.FenceOf(slot) is { IsSet: true } fence && !IsLoaded(slot, fence);

    private bool IsLoaded(CoapSlot slot, CoapFencingToken fence) => Volatile.Read(ref _loaded[slot.Number]) == fence.Value;
}
