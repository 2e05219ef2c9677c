using System.Buffers;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Tables;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>What nodes with tables write to each other.</summary>
public sealed class ReplicatedTableChangeMessageTests
{
    [Fact]
    public void A_written_change_is_read_back_and_a_truncated_change_is_refused()
    {
        ArrayBufferWriter<byte> written = new();
        new ReplicatedTableChangeMessage(new CoapSlot(7), new CoapFencingToken(3), 11, 13, [Key(7, "a"), Key(7, "b")]).Write(written);
        ReadOnlySpan<byte> rest = written.WrittenSpan;
        Assert.True(ReplicatedTableChangeMessage.TryRead(ref rest, out ReplicatedTableChangeMessage read));
        Assert.True(rest.IsEmpty);
        Assert.Equal((7, 3L, 11L, 13L), (read.Slot.Number, read.Fence.Value, read.Before, read.Last));
        Assert.Equal([Key(7, "a"), Key(7, "b")], read.Keys);
        for (int length = 0; length < written.WrittenCount; length++)
        {
            rest = written.WrittenSpan[..length];
            Assert.False(ReplicatedTableChangeMessage.TryRead(ref rest, out _));
        }
    }

    [Fact]
    public void Answers_are_read_back_as_written()
    {
        PendingTableRequest asking = new(default, Key(9), default, FromSeconds(1), TimeProvider.System);
        Assert.Equal("yes"u8.ToArray(), TableMessageSerializer.Read(TableMessageSerializer.Of("yes"u8.ToArray()), asking)!.Value.ToArray());
        Assert.Null(TableMessageSerializer.Read(TableMessageSerializer.Moved, asking));
        Assert.Null(TableMessageSerializer.Read([], asking));
        CoapException failed =
            Assert.Throws<CoapException>(() => TableMessageSerializer.Read(TableMessageSerializer.Failed("no rules"), asking));
        failed.Mentions("no rules");
        byte[] full = TableMessageSerializer.Of(new CoapTableUnavailableException(CoapTableUnavailableReason.Full, FromSeconds(7), "full"));
        CoapTableUnavailableException unavailable =
            Assert.Throws<CoapTableUnavailableException>(() => TableMessageSerializer.Read(full, asking));
        Assert.Equal((CoapTableUnavailableReason.Full, FromSeconds(7), false, "full"),
            (unavailable.Reason, unavailable.RetryAfter, unavailable.IsOutcomeUnknown, unavailable.Message));
        Assert.True(TableMessageSerializer.TryReadQuestion(TableMessageSerializer.QuestionOf(CoapRecordKind.Topic, Key(9, "a"), "what"u8),
            out CoapRecordKind kind, out CoapTableKey key, out ReadOnlyMemory<byte> question));
        Assert.Equal((CoapRecordKind.Topic, Key(9, "a"), "what"), (kind, key, Encoding.UTF8.GetString(question.Span)));
    }

    [Fact]
    public void Reading_random_bytes_throws_no_exception()
    {
        Random random = new(7);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] bytes = new byte[random.Next(60)];
            random.NextBytes(bytes);
            ReadOnlySpan<byte> rest = bytes;
            while (ReplicatedTableChangeMessage.TryRead(ref rest, out ReplicatedTableChangeMessage change))
            {
                Assert.All(change.Keys, key => Assert.InRange(key.Bytes.Length, 1, CoapTableKey.MaxLength));
            }

            _ = TableMessageSerializer.TryReadQuestion(bytes, out _, out _, out _);
        }
    }
}
