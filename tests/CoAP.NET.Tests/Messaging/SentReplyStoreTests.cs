using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

public sealed class SentReplyStoreTests
{
    [Fact]
    public void Reply_log_entries_are_found_by_their_position_until_their_segment_is_dropped()
    {
        SentReplyStore log = new(3);
        List<(ulong Place, uint Hash, byte[] Reply)> entries = [];
        for (uint i = 0; i < 2000; i++)
        {
            byte[] reply = [.. Enumerable.Repeat((byte)i, (int)(i % 50))];
            if (!log.Fits(StoredReplyHeader.EntrySize(reply.Length)))
            {
                log.AddSegment(new byte[1024]);
            }

            entries.Add((log.Append(new StoredReplyHeader { Hash = i, Length = (ushort)reply.Length, Expiry = i }, reply), i, reply));
        }

        Assert.Equal(2000, log.Entries);
        Assert.Equal(2000, entries.Select(entry => entry.Place).Distinct().Count());
        Assert.All(entries, entry => Assert.Equal(3, SentReplyStore.NumberOf(entry.Place)));
        int gone = 0;
        while (!log.IsEmpty)
        {
            foreach ((ulong place, uint hash, byte[] reply) in entries.Skip(gone))
            {
                Assert.True(log.TryGet(place, out StoredReplyHeader header, out ReadOnlySpan<byte> bytes));
                Assert.Equal(hash, header.Hash);
                Assert.True(bytes.SequenceEqual(reply));
            }

            int offset = 0;
            while (log.TryReadHead(ref offset, out StoredReplyHeader header))
            {
                Assert.Equal(entries[gone].Hash, header.Hash);
                gone++;
            }

            Assert.Equal(entries[gone - 1].Hash, log.Head.LastExpiry);
            log.DropHead();
            Assert.All(entries.Take(gone), entry => Assert.False(log.Contains(entry.Place)));
        }

        Assert.Equal(2000, gone);
        Assert.Equal(0, log.Bytes);
        Assert.Equal(0, log.Entries);
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
