using System.Buffers;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// Receives the changes of another node's slots of a table as long as there is a link. Entries are replaced and removed one by one, so
/// existing entries never disappear meanwhile.
/// </summary>
#pragma warning disable CA1001 // the source has neither timer nor handle
internal sealed class TableFollower
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_retry = TimeSpan.FromMilliseconds(250);

    private readonly CoapCluster _cluster;
    private readonly CoapRecordKind _kind;
    private readonly CoapNodeId _node;
    private readonly ClusterTableContents _contents;
    private readonly byte[] _secret;
    private readonly TableMap _map;
    private readonly ILogger _logger;
    private readonly CancellationTokenSource _stop = new();

    public TableFollower(CoapCluster cluster, CoapRecordKind kind, CoapNodeId node, ClusterTableContents contents, byte[] secret,
        TableMap map, ILogger logger)
    {
        (_cluster, _kind, _node, _contents, _secret, _map, _logger) = (cluster, kind, node, contents, secret, map, logger);
        Running = RunAsync();
    }

    /// <summary>Completes when it no longer follows.</summary>
    public Task Running { get; }

    public void Stop() => _stop.Cancel();

    private async Task RunAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (!_stop.IsCancellationRequested)
        {
            Task moved = _map.Next;
            byte[] positions = Positions();
            if (positions.Length == 1)
            {
                // It has no slots, or their entries are not loaded from the store yet.
                await moved.WaitAsync(_stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                continue;
            }

            using CancellationTokenSource ends = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
            try
            {
                Task<CoapResponse> asked = SendAsync(ClusterTables.ChangesPath, positions, ends.Token);
                if (await Task.WhenAny(asked, moved).ConfigureAwait(false) == moved)
                {
                    // The set of slots has changed. The node repeats what it reports meanwhile.
                    await ends.CancelAsync().ConfigureAwait(false);
                    await ((Task)asked).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                    if (!asked.IsCompletedSuccessfully)
                    {
                        continue;
                    }
                }

                bool isCompared = true;
                foreach (CoapSlot slot in Apply((await asked.ConfigureAwait(false)).Payload.Span, positions))
                {
                    // A slot that has moved meanwhile is compared with its new owner, and delays no other.
                    isCompared &= _cluster.Map[slot].Node != _node || await TryCompareAsync(slot).ConfigureAwait(false);
                }

                if (!isCompared)
                {
                    await Task.Delay(s_retry, _contents.Time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }
            }
            catch (CoapException exception)
            {
                if (_cluster.Links.IsUp(_node))
                {
                    ClusterTableLog.NotHeard(_logger, _node, exception.Message);
                }

                await Task.Delay(s_retry, _contents.Time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
            catch (OperationCanceledException)
            {
                // The end, or another map.
            }
        }
    }

    private byte[] Positions()
    {
        ArrayBufferWriter<byte> positions = new();
        TableWire.WriteByte(positions, (byte)_kind);
        CoapClusterMap map = _cluster.Map;
        foreach (CoapSlot number in CoapSlot.All)
        {
            if (map[number].Node != _node)
            {
                continue;
            }

            ClusterTableSlot slot = _contents[number];
            lock (slot.Gate)
            {
                if (slot.IsLoaded && !slot.IsOwned)
                {
                    TableWire.WriteByte(positions, number.Number);
                    TableWire.WritePosition(positions, slot.Fence, slot.Number);
                }
            }
        }

        return positions.WrittenSpan.ToArray();
    }

    private async Task<CoapResponse> SendAsync(string path, ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        CoapRequest request = new(CoapMethod.Post, path) { Timeout = s_timeout };
        request.Message.Payload = payload;
        return (await _cluster.Links.SendAsync(_node, request, cancellationToken).ConfigureAwait(false)).EnsureSuccess();
    }

    // Returns the slots to compare.
    private List<CoapSlot> Apply(ReadOnlySpan<byte> changes, ReadOnlySpan<byte> positions)
    {
        List<CoapSlot> different = [];
        while (TableWire.TryReadByte(ref changes, out byte number) && TableWire.TryReadByte(ref changes, out byte kind))
        {
            if (kind == TableFeed.Compare)
            {
                different.Add(new CoapSlot(number));
            }
            else if (TableWire.TryReadPosition(ref changes, out CoapFence fence, out long last)
                && TableWire.TryReadList(ref changes, out ReadOnlySpan<byte> list)
                && TryFindPosition(positions, number, out CoapFence knownFence, out long known))
            {
                ClusterTableSlot slot = _contents[new CoapSlot(number)];
                lock (slot.Gate)
                {
                    if (!slot.IsOwned && slot.Fence == knownFence && slot.Number == known)
                    {
                        Apply(slot, fence, last, list);
                    }
                }
            }
            else
            {
                break;
            }
        }

        return different;
    }

    private static bool TryFindPosition(ReadOnlySpan<byte> positions, byte number, out CoapFence fence, out long known)
    {
        positions = positions[1..];
        while (TableWire.TryReadByte(ref positions, out byte one) && TableWire.TryReadPosition(ref positions, out fence, out known))
        {
            if (one == number)
            {
                return true;
            }
        }

        (fence, known) = (default, 0);
        return false;
    }

    // Requires the gate.
    private void Apply(ClusterTableSlot slot, CoapFence fence, long last, ReadOnlySpan<byte> list)
    {
        while (TableWire.TryReadEntry(ref list, out TableNews? news))
        {
            _cluster.Counts.Add(ClusterMetric.TableReceived);
            slot.Number = news.Number;
            if (!news.IsRemoved)
            {
                Put(slot, news);
                continue;
            }

            slot.NoteRemoval(new CoapTableKey(news.Key), news.IsExpired);
            if (slot.Entries.Find(news.Key) is not TableEntries.None and var index)
            {
                _contents.Remove(slot, index, news.IsExpired);
            }
        }

        if (list.IsEmpty)
        {
            slot.Follow(fence, last);
        }
        else
        {
            // The data are unreadable.
            slot.Lose();
        }
    }

    private void Put(ClusterTableSlot slot, TableNews news) => _contents.Put(slot, TableEntry.DataOf(news.Key, news.Value), news.Key.Length,
        _contents.EndOf(news.Remaining), news.Number, news.Version, news.IsDurable);

    // False if the comparison must start again.
    private async Task<bool> TryCompareAsync(CoapSlot number)
    {
        ClusterTableSlot slot = _contents[number];
        byte[] digests = new byte[TableDigests.Length];
        lock (slot.Gate)
        {
            if (slot.IsOwned)
            {
                return true;
            }

            slot.Lose();
            TableDigests.Of(slot, _secret).Write(digests);
            slot.Digests = null;
        }

        _cluster.Counts.Add(ClusterMetric.TableSlotsCompared);
        TablePlace after = TablePlace.First;
        CoapFence fence = default;
        long first = 0;
        while (after != TablePlace.Last)
        {
            ArrayBufferWriter<byte> question = new();
            TableWire.WriteByte(question, (byte)_kind);
            TableWire.WriteByte(question, number.Number);
            after.Write(question);
            question.Write(digests);
            CoapResponse response = await SendAsync(ClusterTables.ComparePath, question.WrittenMemory, _stop.Token).ConfigureAwait(false);
            if (!TryApply(slot, response.Payload.Span, digests, ref after, ref fence, ref first))
            {
                return false;
            }
        }

        lock (slot.Gate)
        {
            if (!slot.IsOwned && !slot.Fence.IsSet)
            {
                slot.Adopt(fence, first);
            }
        }

        return true;
    }

    private bool TryApply(
        ClusterTableSlot slot, ReadOnlySpan<byte> answer, byte[] digests, ref TablePlace after, ref CoapFence fence, ref long first)
    {
        if (!TableWire.TryReadPosition(ref answer, out CoapFence told, out long number) || (fence.IsSet && told != fence)
            || !TablePlace.TryRead(ref answer, out TablePlace upTo) || !TableWire.TryReadParts(ref answer, out bool[]? differs))
        {
            return false;
        }

        Dictionary<CoapTableKey, TableNews> all = [];
        while (TableWire.TryReadEntry(ref answer, out TableNews? news))
        {
            all[new CoapTableKey(news.Key)] = news;
        }

        lock (slot.Gate)
        {
            if (slot.IsOwned || slot.Fence.IsSet)
            {
                return false;
            }

            List<CoapTableKey> gone = [];
            for (int index = slot.Entries.Oldest; index != TableEntries.None; index = slot.Entries[index].Newer)
            {
                TablePlace place = new(TableDigests.PartOf(slot.Entries[index].Key), slot.Entries[index].Key.ToArray());
                if (differs[place.Part] && place.CompareTo(after) > 0 && place.CompareTo(upTo) <= 0
                    && new CoapTableKey(place.Key) is var key && !all.ContainsKey(key))
                {
                    gone.Add(key);
                }
            }

            foreach (CoapTableKey key in gone)
            {
                int index = slot.Entries.Find(key.Bytes);
                _contents.Remove(slot, index, slot.Entries[index].Expires <= _contents.Now);
            }

            foreach (TableNews news in all.Values)
            {
                Put(slot, news);
            }
        }

        _cluster.Counts.Add(ClusterMetric.TableReceived, all.Count);
        first = fence.IsSet ? first : number;
        (fence, after) = (told, upTo);
        return true;
    }
}
