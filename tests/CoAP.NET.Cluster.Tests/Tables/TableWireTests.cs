using System.Buffers;

namespace CoAP.NET.Cluster.Tests.Tables;

public sealed class TableWireTests
{
    [Fact]
    public void What_is_written_is_read_and_what_is_cut_off_anywhere_is_not()
    {
        TableEntries entries = new();
        int index = entries.Put("key"u8, "value"u8, TableContents.Never, number: 7);
        entries[index].Version = 3;
        entries[index].IsDurable = true;
        ArrayBufferWriter<byte> written = new();
        TableWire.WriteEntry(written, entries[index], TimeSpan.FromSeconds(5));
        byte[] entry = written.WrittenSpan.ToArray();
        ReadOnlySpan<byte> rest = entry;
        Assert.True(TableWire.TryReadEntry(ref rest, out TableNews? news));
        Assert.True(rest.IsEmpty);
        Assert.Equal("key"u8.ToArray(), news.Key);
        Assert.Equal("value"u8.ToArray(), news.Value);
        Assert.False(news.IsRemoved);
        Assert.Equal((3, 7L, TimeSpan.FromSeconds(5), true), (news.Version, news.Number, news.Remaining, news.IsDurable));

        written.Clear();
        TableWire.WriteRemoval(written, new TableRemoval(9, new CoapTableKey("key"u8), IsExpired: true));
        byte[] removal = written.WrittenSpan.ToArray();
        rest = removal;
        Assert.True(TableWire.TryReadEntry(ref rest, out news));
        Assert.Equal((true, true, 9L), (news.IsRemoved, news.IsExpired, news.Number));

        foreach (byte[] whole in (byte[][])[entry, removal])
        {
            for (int length = 0; length < whole.Length; length++)
            {
                rest = whole.AsSpan(0, length);
                Assert.False(TableWire.TryReadEntry(ref rest, out _));
            }
        }
    }

    [Fact]
    public void Whatever_bytes_come_nothing_is_thrown()
    {
        Random random = new(7);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(60)];
            random.NextBytes(bytes);
            ReadOnlySpan<byte> rest = bytes;
            while (TableWire.TryReadEntry(ref rest, out TableNews? news))
            {
                Assert.InRange(news.Key.Length, 1, CoapTableKey.MaxLength);
            }

            rest = bytes;
            _ = TableWire.TryReadPosition(ref rest, out _, out _) && TablePlace.TryRead(ref rest, out _)
                && TableWire.TryReadParts(ref rest, out _);
            rest = bytes;
            _ = TableWire.TryReadList(ref rest, out _);
            _ = TableReply.TryReadQuestion(bytes, out _, out _, out _);
        }
    }

    [Fact]
    public void Slots_that_differ_in_one_entry_differ_in_the_part_of_its_key_only()
    {
        (ClusterTableSlot one, ClusterTableSlot other) = (new ClusterTableSlot(), new ClusterTableSlot());
        for (int i = 0; i < 1000; i++)
        {
            one.Entries.Put(BitConverter.GetBytes(i), [1], TableContents.Never, 1);
            other.Entries.Put(BitConverter.GetBytes(999 - i), [1], TableContents.Never, 1);
        }

        byte[] digests = new byte[TableDigests.Length];
        TableDigests.Of(one, "secret"u8).Write(digests);
        Assert.DoesNotContain(true, TableDigests.Of(other, "secret"u8).DifferFrom(digests));

        // Some parts are empty.
        Assert.True(TableDigests.Of(other, "another"u8).DifferFrom(digests).Count(static differs => differs) > 200);

        other.Entries.Put(BitConverter.GetBytes(500), [2], TableContents.Never, 2);
        bool[] differs = TableDigests.Of(other, "secret"u8).DifferFrom(digests);
        Assert.Equal(TableDigests.PartOf(BitConverter.GetBytes(500)), Array.IndexOf(differs, true));
        Assert.Single(differs, true);
    }
}
