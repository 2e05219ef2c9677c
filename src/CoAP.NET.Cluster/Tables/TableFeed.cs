using System.Buffers;

namespace CoAP.NET.Cluster;

/// <summary>
/// Reports changes in the slots of this node to other nodes. Each of them names the changes that it has, and waits for the next ones. If
/// too many have happened since, it compares its entries with those of this node, and gets those that differ. Thread-safe.
/// </summary>
internal sealed class TableFeed(ClusterTableContents contents, byte[] secret) : IDisposable
{
    /// <summary>The time for which another node waits for changes before it asks again.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <summary>The response contains changes.</summary>
    public const byte Changes = 0;

    /// <summary>The response requests a comparison.</summary>
    public const byte Compare = 1;

    private readonly WakeSignal _wake = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, CancellationTokenSource> _waiting = [];
    private int _waiters;

    /// <summary>Wakes the waiting nodes after a change.</summary>
    public void OnChanged()
    {
        // A full barrier: a waiter is counted before its last check.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _waiters) > 0)
        {
            _wake.Wake();
        }
    }

    /// <summary>Returns the changes since the last report to another node, as soon as there are some.</summary>
    /// <param name="node">The node. A repeated request replaces the waiting one.</param>
    /// <param name="positions">Its positions by slot.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<ReadOnlyMemory<byte>> ReadAsync(
        CoapNodeId node, ReadOnlyMemory<byte> positions, CancellationToken cancellationToken)
    {
        using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _stop.Token);
        Enter(node, ends);
        Interlocked.Increment(ref _waiters);
        long began = contents.Time.GetTimestamp();
        try
        {
            while (true)
            {
                Task next = _wake.Next;
                ReadOnlyMemory<byte> changes = Read(positions.Span);
                TimeSpan left = SettleClock.InWholeMilliseconds(Patience - contents.Time.GetElapsedTime(began));
                if (!changes.IsEmpty || left <= TimeSpan.Zero || ends.IsCancellationRequested)
                {
                    return changes;
                }

                await next.WaitAsync(left, contents.Time, ends.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
        finally
        {
            Interlocked.Decrement(ref _waiters);
            Leave(node, ends);
        }
    }

    /// <summary>Returns a part of a slot's entries that differ from those of another node.</summary>
    /// <param name="number">The slot.</param>
    /// <param name="digests">The digests of the other node.</param>
    /// <param name="after">The last compared part and key.</param>
    /// <returns>Empty if this node does not decide about the slot.</returns>
    public ReadOnlyMemory<byte> ReadDifference(CoapSlot number, ReadOnlySpan<byte> digests, TablePlace after)
    {
        ClusterTableSlot slot = contents[number];
        ArrayBufferWriter<byte> answer = new();
        lock (slot.Gate)
        {
            if (!slot.IsOwned)
            {
                return default;
            }

            bool[] differs = TableDigests.Of(slot, secret).DifferFrom(digests);
            List<(TablePlace Place, int Index)> entries = [];
            for (int index = slot.Entries.Oldest; index != TableEntries.None; index = slot.Entries[index].Newer)
            {
                byte part = TableDigests.PartOf(slot.Entries[index].Key);
                if (differs[part] && new TablePlace(part, slot.Entries[index].Key.ToArray()) is var place && place.CompareTo(after) > 0)
                {
                    entries.Add((place, index));
                }
            }

            entries.Sort(static (one, other) => one.Place.CompareTo(other.Place));
            int count = 0;
            int size = 0;
            while (count < entries.Count && size < TableWire.Size)
            {
                size += slot.Entries[entries[count++].Index].Data!.Length;
            }

            TableWire.WritePosition(answer, slot.Fence, slot.Number);
            (count == entries.Count ? TablePlace.Last : entries[count - 1].Place).Write(answer);
            TableWire.WriteParts(answer, differs);
            foreach ((_, int index) in entries.Take(count))
            {
                TableWire.WriteEntry(answer, slot.Entries[index], contents.RemainingOf(slot.Entries[index].Expires));
            }
        }

        return answer.WrittenMemory;
    }

    public void Dispose() => _stop.Cancel();

    private void Enter(CoapNodeId node, CancellationTokenSource ends)
    {
        CancellationTokenSource? before;
        lock (_gate)
        {
            _waiting.Remove(node, out before);
            _waiting.Add(node, ends);
            before?.CancelAsync();
        }
    }

    private void Leave(CoapNodeId node, CancellationTokenSource ends)
    {
        lock (_gate)
        {
            if (_waiting.GetValueOrDefault(node) == ends)
            {
                _waiting.Remove(node);
            }
        }
    }

    private ReadOnlyMemory<byte> Read(ReadOnlySpan<byte> positions)
    {
        ArrayBufferWriter<byte>? answer = null;
        while ((answer?.WrittenCount ?? 0) < TableWire.Size && TableWire.TryReadByte(ref positions, out byte number)
            && TableWire.TryReadPosition(ref positions, out CoapFence fence, out long known))
        {
            ClusterTableSlot slot = contents[new CoapSlot(number)];
            lock (slot.Gate)
            {
                if (slot.IsOwned && (slot.Fence != fence || slot.Number != known))
                {
                    Write(answer ??= new ArrayBufferWriter<byte>(), number, slot, fence, known);
                }
            }
        }

        return answer?.WrittenMemory ?? default;
    }

    // The slot, whether changes follow, the position after them, their number, and the changes.
    private void Write(ArrayBufferWriter<byte> answer, byte number, ClusterTableSlot slot, CoapFence fence, long known)
    {
        TableWire.WriteByte(answer, number);
        if (!slot.Follows(fence, known))
        {
            TableWire.WriteByte(answer, Compare);
            return;
        }

        TableWire.WriteByte(answer, Changes);
        TableEntries entries = slot.Entries;
        Stack<int> changed = new();
        for (int index = entries.Newest; index != TableEntries.None && entries[index].Number > known; index = entries[index].Older)
        {
            changed.Push(index);
        }

        ArrayBufferWriter<byte> list = new();
        using IEnumerator<TableRemoval> removals = slot.Removals.After(known).GetEnumerator();
        bool hasRemoval = removals.MoveNext();
        long last = known;
        while ((changed.Count > 0 || hasRemoval) && answer.WrittenCount + list.WrittenCount < TableWire.Size)
        {
            if (hasRemoval && (changed.Count == 0 || removals.Current.Number < entries[changed.Peek()].Number))
            {
                last = removals.Current.Number;
                TableWire.WriteRemoval(list, removals.Current);
                hasRemoval = removals.MoveNext();
            }
            else
            {
                ref TableEntry entry = ref entries[changed.Pop()];
                last = entry.Number;
                TableWire.WriteEntry(list, entry, contents.RemainingOf(entry.Expires));
            }
        }

        TableWire.WritePosition(answer, slot.Fence, changed.Count == 0 && !hasRemoval ? slot.Number : last);
        TableWire.WriteLength(answer, list.WrittenCount);
        answer.Write(list.WrittenSpan);
    }
}
