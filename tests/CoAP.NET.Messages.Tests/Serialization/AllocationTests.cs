using System.Buffers;

namespace CoAP.NET.Tests.Serialization;

/// <summary>
/// What reading and writing allocates, in bytes on this thread. Each figure is the smallest of several runs, so that a pool that was just
/// trimmed does not count.
/// </summary>
public class AllocationTests
{
    private static readonly CoapMessageSerializer[] s_serializers = [CoapDatagramSerializer.Default, CoapStreamSerializer.Default,
        CoapWebSocketSerializer.Default];

    private static CoapMessage? s_kept;

    [Fact]
    public void Writing_into_a_span_allocates_nothing()
    {
        CoapMessage message = MessageText.Parse("ACK 2.05 aa01 62da 12: 14:1e 23:02 |547970653a", isFrame: false);
        byte[] destination = new byte[100];
        foreach (CoapMessageSerializer serializer in s_serializers)
        {
            Assert.Equal(0, Allocations.Least(() => serializer.TrySerialize(destination, message, out _)));
            Assert.Equal(0, Allocations.Least(() => serializer.GetSize(message)));
        }
    }

    [Theory]
    [InlineData("60007d38")]
    [InlineData("7000ad7c")]
    [InlineData("68445d38aabbccddeeff0011")]
    public void A_message_without_options_and_payload_is_read_as_a_single_object(string hex)
    {
        byte[] bytes = Wire.Hex(hex);
        long one = Allocations.Least(() => s_kept = new CoapMessage());
        Assert.Equal(one, Allocations.Least(() => s_kept = CoapDatagramSerializer.Default.Deserialize(bytes.AsSpan())));
        Assert.Equal(one, Allocations.Least(() => s_kept = CoapDatagramSerializer.Default.Deserialize(bytes.AsMemory())));
        ReadOnlySequence<byte> parts = Segments.Of(bytes, 3);
        Assert.Equal(one, Allocations.Least(() => CoapDatagramSerializer.Default.TryDeserialize(parts, out s_kept, out _, out _)));
        using MemoryStream stream = new(bytes, 0, bytes.Length, writable: false, publiclyVisible: true);
        Assert.Equal(one, Allocations.Least(() =>
        {
            stream.Position = 0;
            ValueTask<CoapMessage> read = CoapDatagramSerializer.Default.DeserializeAsync(stream);
            s_kept = read.Result;
        }));
    }

    [Fact]
    public void Reading_from_memory_allocates_the_same_for_every_payload()
    {
        foreach (CoapMessageSerializer serializer in s_serializers)
        {
            byte[] small = serializer.Serialize(WithPayload(10));
            byte[] large = serializer.Serialize(WithPayload(60_000));
            long expected = Allocations.Least(() => s_kept = serializer.Deserialize(small.AsMemory()));
            Assert.Equal(expected, Allocations.Least(() => s_kept = serializer.Deserialize(large.AsMemory())));
            ReadOnlySequence<byte> sequence = new(large);
            Assert.Equal(expected, Allocations.Least(() => serializer.TryDeserialize(sequence, out s_kept, out _, out _)));
        }
    }

    [Fact]
    public void Reading_from_a_span_copies_the_payload_once()
    {
        foreach (CoapMessageSerializer serializer in s_serializers)
        {
            byte[] small = serializer.Serialize(WithPayload(8));
            byte[] large = serializer.Serialize(WithPayload(60_008));
            long more = Allocations.Least(() => s_kept = serializer.Deserialize(large.AsSpan())) - Allocations.Least(
                () => s_kept = serializer.Deserialize(small.AsSpan()));
            Assert.InRange(more, 60_000, 60_016);
        }
    }

    [Fact]
    public void Reading_a_large_frame_from_a_stream_allocates_its_size_and_little_more()
    {
        byte[] frame = CoapStreamSerializer.Default.Serialize(WithPayload(1_000_000));
        using MemoryStream closed = new(frame);
        long allocated = Allocations.Least(() =>
        {
            closed.Position = 0;
            ValueTask<CoapMessage> read = CoapStreamSerializer.Default.DeserializeAsync(closed);
            s_kept = read.Result;
        });
        Assert.InRange(allocated, 1_000_000, 1_010_000);
    }

    [Fact]
    public void Malformed_bytes_allocate_nothing()
    {
        foreach (string hex in new[]
        {
            "40017d34ff", "40017d34b161b16261b163b4", "4f017d34", "41007d3420", "80", "40017d34e0ffffe0ffff", "4e017d34ffff"
        })
        {
            byte[] bytes = Wire.Hex(hex);
            Assert.Equal(0, Allocations.Least(() => CoapDatagramSerializer.Default.TryDeserialize(bytes.AsSpan(), out _, out _)));
        }

        byte[] options = [0x40, 0x01, 0x7d, 0x34, .. new byte[60_000]];
        Assert.Equal(0, Allocations.Least(() => CoapDatagramSerializer.Default.TryDeserialize(options.AsSpan(), out _, out _)));
    }

    [Fact]
    [Rfc("8323-5.3.1-2")]
    public void A_header_that_claims_four_gigabytes_allocates_nothing()
    {
        byte[] claim = Wire.Hex("f0ffffffff45");
        ReadOnlySequence<byte> parts = Segments.Of(claim, 1);
        Assert.Equal(0, Allocations.Least(() => CoapStreamSerializer.Default.TryDeserialize(claim.AsSpan(), out _, out _)));
        Assert.Equal(0, Allocations.Least(() => CoapStreamSerializer.Default.TryDeserialize(parts, out _, out _, out _)));
    }

    [Fact]
    public void A_header_that_claims_a_large_frame_allocates_little_before_the_bytes_arrive()
    {
        // 8 MiB are allowed and claimed; 10 bytes of them come.
        CoapStreamSerializer serializer = new(new CoapSerializerOptions { MaxMessageSize = 16 * 1024 * 1024 });
        byte[] begun = [.. Wire.Hex("f00080000045"), .. new byte[10]];
        using MemoryStream closed = new(begun);
        long allocated = Allocations.Least(() =>
        {
            closed.Position = 0;
            Assert.Throws<CoapFormatException>(() => serializer.Deserialize(closed));
        });
        Assert.InRange(allocated, 0, 200_000);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Writing_into_a_stream_allocates_the_same_for_every_payload(bool isAsync)
    {
        foreach (CoapMessageSerializer serializer in s_serializers)
        {
            CoapMessage small = WithPayload(10);
            CoapMessage middle = WithPayload(10_000);
            CoapMessage large = WithPayload(900_000);
            Assert.Equal(0, AllocatedByWriting(serializer, small, isAsync));
            long expected = AllocatedByWriting(serializer, middle, isAsync);
            Assert.InRange(expected, 0, 400);
            Assert.Equal(expected, AllocatedByWriting(serializer, large, isAsync));
        }
    }

    [Fact]
    public void Many_options_allocate_only_their_table()
    {
        CoapSerializerOptions limits = new() { MaxOptions = int.MaxValue, MaxMessageSize = 100_000_000 };
        CoapStreamSerializer serializer = new(limits);
        byte[] few = serializer.Serialize(WithOptions(1_000));
        byte[] many = serializer.Serialize(WithOptions(131_072));
        long allocatedByFew = Allocations.Least(() => s_kept = serializer.Deserialize(few.AsMemory()));
        long allocatedByMany = Allocations.Least(() => s_kept = serializer.Deserialize(many.AsMemory()));
        Assert.InRange(allocatedByMany - allocatedByFew, 130_072 * 8, 130_072 * 12);

        CoapMessage message = serializer.Deserialize(many.AsMemory());
        byte[] destination = new byte[many.Length];
        Assert.Equal(0, Allocations.Least(() => serializer.TrySerialize(destination, message, out _)));
        Assert.True(destination.AsSpan().SequenceEqual(many));
    }

    private static long AllocatedByWriting(CoapMessageSerializer serializer, CoapMessage message, bool isAsync)
    {
        using RecordingStream ends = new(isAtOnce: true, keeps: false);
        using Stream stream = isAsync ? ends : Stream.Null;
        return Allocations.Least(() =>
        {
            ends.Writes.Clear();
            if (isAsync)
            {
                ValueTask write = serializer.SerializeAsync(stream, message);
                Assert.True(write.IsCompletedSuccessfully);
                write.GetAwaiter().GetResult();
            }
            else
            {
                serializer.Serialize(stream, message);
            }
        });
    }

    private static CoapMessage WithPayload(int length)
    {
        CoapMessage message = new(CoapCode.Content) { Payload = Wire.Pattern(length) };
        message.Options.Add(4, "etag"u8).Add(12, default);
        return message;
    }

    private static CoapMessage WithOptions(int count)
    {
        CoapMessage message = new(CoapCode.Created) { Token = new CoapToken([1, 2, 3, 4, 5, 6, 7, 8]) };
        for (int i = 0; i < count; i++)
        {
            message.Options.Add(11, "segment"u8);
        }

        return message;
    }
}
