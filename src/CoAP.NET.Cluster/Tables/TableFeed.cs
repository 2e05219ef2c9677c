using System.Buffers;

namespace CoAP.NET.Cluster;

/// <summary>
/// Tells other nodes what has changed in the slots of this one. Each of them says which changes it has, and waits for the next ones; where
/// it is told that too many have come since, it has its entries compared with those of this node, and gets those that differ. Thread-safe.
/// </summary>
internal sealed class TableFeed(ClusterTableContents contents, byte[] secret) : IDisposable
{
    /// <summary>How long another node waits for changes before it asks again.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(20);

    /// <summary>Changes follow.</summary>
    public const byte Changes = 0;

    /// <summary>The entries have to be compared.</summary>
    public const byte Compare = 1;

    private readonly WakeSignal _wake = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapNodeId, CancellationTokenSource> _waiting = [];
    private int _waiters;

    /// <summary>Something has changed in a slot of this node.</summary>
    public void OnChanged()
    {
        // A full barrier: who waits is counted before it looks for the last time.
        Interlocked.MemoryBarrier();
        if (Volatile.Read(ref _waiters) > 0)
        {
            _wake.Wake();
        }
    }

    /// <summary>What has changed since another node was told, as soon as there is something.</summary>
    /// <param name="node">The node. One that asks again is not waited for twice.</param>
    /// <param name="positions">What it has of which slots.</param>
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

    /// <summary>A part of the entries of a slot that differ from those of another node.</summary>
    /// <param name="number">The slot.</param>
    /// <param name="digests">What the other node has.</param>
    /// <param name="after">The last part and key that were compared.</param>
    /// <returns>Nothing when this node does not decide about the slot.</returns>
    public ReadOnlyMemory<byte> ReadDifference(CoapSlot number, ReadOnlySpan<byte> digests, TablePlace after)
    {
        TableSlot slot = contents[number];
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
            TableSlot slot = contents[new CoapSlot(number)];
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

    // The slot, whether changes follow, which position they lead to, how many, and the changes.
    private void Write(ArrayBufferWriter<byte> answer, byte number, TableSlot slot, CoapFence fence, long known)
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
