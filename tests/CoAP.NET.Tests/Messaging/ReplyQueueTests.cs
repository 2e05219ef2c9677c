using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The queue of finished exchanges, and the table that finds them.</summary>
public sealed class ReplyQueueTests
{
    private readonly IndexedPool<ReplySegment> _segments = new();

    [Fact]
    public void Entries_are_read_at_their_places_and_leave_in_their_order()
    {
        ReplyQueue queue = new(ReplyQueueKind.Verified);
        List<(ulong Place, byte[] Reply)> entries = [];
        for (uint i = 0; i < 2000; i++)
        {
            byte[] reply = [.. Enumerable.Repeat((byte)i, (int)(i % 50))];
            if (!(queue.Last?.Free >= StoredReplyHeader.EntrySize(reply.Length)))
            {
                queue.AddSegment(new ReplySegment(1024, _segments));
            }

            StoredReplyHeader header = new() { Hash = i, Length = (ushort)reply.Length, Expiry = i };
            entries.Add((queue.Last!.Append(header, reply), reply));
        }

        Assert.Equal(2000, entries.Select(entry => entry.Place).Distinct().Count());
        Assert.Equal(_segments.Count * 1024, queue.Bytes);
        uint gone = 0;
        while (queue.First is { } first)
        {
            Assert.Same(first, queue.RemoveFirst());
            for (int offset = 0; first.TryReadNext(ref offset, out ulong place, out StoredReplyHeader header); gone++)
            {
                (ulong Place, byte[] Reply) entry = entries[(int)gone];
                Assert.Equal((entry.Place, gone), (place, header.Hash));
                Assert.Equal(gone, ReplySegment.Read(_segments, place, out ReadOnlySpan<byte> reply).Hash);
                Assert.True(reply.SequenceEqual(entry.Reply));
            }

            Assert.Equal(gone - 1, first.LastExpiry);
            first.RemoveFrom(_segments);
        }

        Assert.Equal(2000u, gone);
        Assert.Equal((0, 0), (queue.Bytes, _segments.Count));
        Assert.Null(queue.Last);
    }

    [Fact]
    public void A_segment_may_be_larger_than_the_range_of_places_if_it_has_one_entry()
    {
        ReplySegment segment = new(StoredReplyHeader.EntrySize(ushort.MaxValue), _segments);
        byte[] reply = new byte[ushort.MaxValue];
        reply[^1] = 7;

        ulong place = segment.Append(new StoredReplyHeader { Length = ushort.MaxValue }, reply);

        ReplySegment.Read(_segments, place, out ReadOnlySpan<byte> read);
        Assert.True(read.SequenceEqual(reply));
        Assert.Equal(segment.Size, segment.Used);
    }

    // Compared with a dictionary: peers that count, peers that choose, replacements, and removals in the order of arrival.
    [Theory]
    [InlineData(1, 3000)]
    [InlineData(7, 3000)]
    [InlineData(1000, 20_000)]
    public void The_table_has_exactly_what_was_added_and_not_removed(int peers, int kept)
    {
        DuplicateTable table = new(_segments);
        ReplySegment? segment = null;
        Dictionary<(uint, ushort), ulong> expected = [];
        Queue<(uint Peer, ushort MessageId, ulong Place)> order = [];
        Random random = new(peers);
        for (int i = 0; i < 3 * kept; i++)
        {
            uint peer = (uint)random.Next(peers) + 1;
            ushort messageId = peer % 2 == 0 ? (ushort)i : (ushort)random.Next(200);
            if (!(segment?.Free >= StoredReplyHeader.EntrySize(0)))
            {
                segment = new ReplySegment(1024, _segments);
            }

            ulong place = segment!.Append(new StoredReplyHeader { Peer = peer, MessageId = messageId, Hash = (uint)i }, []);
            table.Set(peer, messageId, place);
            expected[(peer, messageId)] = place;
            order.Enqueue((peer, messageId, place));
            if (order.Count > kept)
            {
                Remove();
            }

            if (i % (kept / 2) == 0)
            {
                Compare();
            }
        }

        Compare();
        Assert.InRange(table.Bytes, 16 * table.Count, Math.Max(64 * table.Count, 64 * 1024));
        while (order.Count > 0)
        {
            Remove();
        }

        table.Trim();
        Assert.Equal((0, 0), (table.Count, table.Bytes));

        void Remove()
        {
            (uint peer, ushort messageId, ulong place) = order.Dequeue();
            table.Remove(peer, messageId, place);
            if (expected.GetValueOrDefault((peer, messageId)) == place)
            {
                expected.Remove((peer, messageId));
            }
        }

        void Compare()
        {
            Assert.Equal(expected.Count, table.Count);
            foreach (((uint peer, ushort messageId), ulong place) in expected)
            {
                Assert.True(table.TryFind(peer, messageId, out StoredReplyHeader header, out _));
                Assert.Equal(ReplySegment.Read(_segments, place, out _).Hash, header.Hash);
            }

            Assert.False(table.TryFind(0, 1, out _, out _));
            Assert.Equal(expected.Where(entry => entry.Key.Item1 == 1).Select(entry => entry.Value).Order(),
                table.PlacesOf(1).Order());
        }
    }

    [Fact]
    public void An_expiry_time_has_passed_only_when_it_is_reached()
    {
        long begin = FromDays(5).Ticks + 7;
        foreach (long ahead in new[] { FromSeconds(247).Ticks, FromDays(300).Ticks })
        {
            uint time = StoredReplyHeader.Clock.After(begin + ahead);
            Assert.False(StoredReplyHeader.Clock.HasPassed(time, begin));
            Assert.False(StoredReplyHeader.Clock.HasPassed(time, begin + ahead - 1));
            Assert.True(StoredReplyHeader.Clock.HasPassed(time, begin + ahead + (1 << 17)));
        }
    }
}
