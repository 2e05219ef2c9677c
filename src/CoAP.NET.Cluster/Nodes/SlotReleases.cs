using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Nodes;

/// <summary>Releases the state of slots that are about to move, and tells which ones. Thread-safe.</summary>
/// <param name="self">The node.</param>
/// <param name="writer">Writes the waiting records before a slot moves.</param>
/// <param name="timeout">The time in which pending work may finish.</param>
/// <param name="time">The clock.</param>
/// <param name="logger">The log.</param>
internal sealed class SlotReleases(CoapNodeId self, CoapRecordWriteQueue writer, TimeSpan timeout, TimeProvider time, ILogger logger)
{
    private readonly Lock _gate = new();

    // The fence of a slot being released: a slot that comes back has another one.
    private readonly long[] _moving = new long[CoapSlot.Count];
    private ISlotStateHolder[] _holders = [];

    public void Add(ISlotStateHolder holder)
    {
        lock (_gate)
        {
            _holders = [.. _holders, holder];
        }
    }

    public void Remove(ISlotStateHolder holder)
    {
        lock (_gate)
        {
            _holders = [.. _holders.Where(other => other != holder)];
        }
    }

    /// <summary>Whether a slot of this node with a fence is being released, or is about to be.</summary>
    public bool IsMoving(CoapSlot slot, CoapFencingToken fence) => Volatile.Read(ref _moving[slot.Number]) == fence.Value && fence.IsSet;

    /// <summary>Marks a slot as moving, and holds its datagrams from now on.</summary>
    /// <param name="slot">The slot.</param>
    /// <param name="fence">Its fence; unset to remove the mark.</param>
    public void Mark(CoapSlot slot, CoapFencingToken fence) => Volatile.Write(ref _moving[slot.Number], fence.Value);

    /// <summary>Counts the slots of a map that are being released.</summary>
    public int CountIn(CoapClusterSlotMap map)
    {
        int count = 0;
        for (int i = 0; i < CoapSlot.Count; i++)
        {
            CoapSlot slot = new((byte)i);
            count += IsMoving(slot, map[slot].Fence) ? 1 : 0;
        }

        return count;
    }

    /// <summary>Releases the state of marked slots, and completes when it is stored, or could not be stored in time.</summary>
    /// <param name="slots">The slots.</param>
    /// <param name="cancellationToken">Ends the grace period for pending work.</param>
    public async Task ReleaseAsync(IEnumerable<CoapSlot> slots, CancellationToken cancellationToken)
    {
        ISlotStateHolder[] holders = Volatile.Read(ref _holders);
        using CancellationTokenSource grace = new(timeout, time);
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(grace.Token, cancellationToken);
        await Task.WhenAll(slots.SelectMany(slot => holders.Select(holder => ReleaseOneAsync(holder, slot, ends.Token))))
            .ConfigureAwait(false);
        try
        {
            await writer.FlushAsync(ends.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // The store is unavailable, or too slow. Later writes are dropped, and the writer counts them.
        }
    }

    [SuppressMessage("Design", "CA1031:Do not catch general exception types", Justification = "A slot that is not released moves as after "
        + "a crash, whatever the reason.")]
    private async Task ReleaseOneAsync(ISlotStateHolder holder, CoapSlot slot, CancellationToken cancellationToken)
    {
        try
        {
            await holder.ReleaseAsync(slot, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception)
        {
            NodesLog.NotReleased(logger, self, slot, exception);
        }
    }
}
