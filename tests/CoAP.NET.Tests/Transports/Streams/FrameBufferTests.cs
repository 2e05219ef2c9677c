using System.Buffers;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Tests.Transports.Streams;

public class FrameBufferTests
{
    private const int Small = FrameBuffer.SmallPiece;
    private const int Large = FrameBuffer.LargePiece;

    [Fact]
    public void Bytes_that_arrive_one_by_one_share_arrays()
    {
        FrameBuffer buffer = new();
        for (int i = 0; i < 3 * (Small - 256); i++)
        {
            buffer.GetMemory().Span[0] = (byte)i;
            buffer.Advance(1);
        }

        Assert.Equal(3 * (Small - 256), buffer.Length);
        Assert.Equal(3, ArraysOf(buffer).Count);
        int at = 0;
        Assert.All(buffer.Bytes.ToArray(), one => Assert.Equal((byte)at++, one));
    }

    [Fact]
    public void A_fast_stream_is_read_in_larger_arrays_after_a_while()
    {
        FrameBuffer buffer = new();
        List<int> sizes = [];
        for (int i = 0; i < 6; i++)
        {
            sizes.Add(buffer.GetMemory().Length);
            buffer.Advance(sizes[^1]);
        }

        Assert.Equal([Small, Small, Small, Small, Large, Large], sizes);
    }

    [Theory]
    [InlineData(513, 2000)]
    [InlineData(5000, 700)]
    [InlineData(60_000, 16_000)]
    [InlineData(1_048_476, 9000)]
    public void The_charge_of_a_buffer_is_the_size_of_its_arrays_and_of_the_room_for_the_next_read(int length, int atOnce)
    {
        FrameBuffer buffer = new();
        for (int left = length; left > 0;)
        {
            int count = Math.Min(Math.Min(left, atOnce), buffer.GetMemory().Length);
            buffer.Advance(count);
            buffer.Trim();
            buffer.MakeRoom();
            left -= count;
        }

        Assert.Equal(length, buffer.Length);
        Assert.Equal(ArraysOf(buffer).Sum(static array => (long)array.Length) + RoomBehind(buffer), buffer.Charge);

        // A peer has to send most of what it is charged for: what a piece is filled to when it is full is a matter of reads.
        Assert.InRange(buffer.Charge, length, (length * 17L / 16) + (2 * Large));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(512)]
    [InlineData(3000)]
    public void The_memory_of_a_large_frame_is_freed_while_a_short_rest_remains(int rest)
    {
        FrameBuffer buffer = new();
        byte[] bytes = new byte[65_536 + rest];
        new Random(7).NextBytes(bytes.AsSpan(65_536));
        buffer.Write(bytes);
        buffer.Skip(65_536);
        buffer.Trim();

        Assert.Equal(Small, buffer.Capacity);
        Assert.Equal(rest <= 512 ? 0 : Small, buffer.Charge);
        Assert.Equal(bytes[65_536..], buffer.Bytes.ToArray());
    }

    [Fact]
    public void A_short_rest_is_charged_for_the_full_buffer_until_Trim()
    {
        FrameBuffer buffer = new();
        buffer.Write(new byte[Small + 100]);
        buffer.Skip(Small);
        Assert.Equal((100, 2 * Small), (buffer.Length, buffer.Capacity));

        // Nothing was returned yet: the rest takes what the whole took.
        Assert.Equal(2 * Small, buffer.Charge);
        buffer.Trim();
        Assert.Equal((Small, 0), (buffer.Capacity, buffer.Charge));
    }

    [Theory]
    [InlineData(100, 4096)]
    [InlineData(5000, 8192)]
    [InlineData(20_000, 32_768)]
    [InlineData(40_000, 65_536)]
    public void A_rest_in_a_large_piece_is_moved_when_it_needs_half_of_its_memory_or_less(int rest, int capacity)
    {
        FrameBuffer buffer = new();
        byte[] bytes = new byte[64_000];
        new Random(7).NextBytes(bytes);
        Memory<byte> room = buffer.GetMemory(65_536);
        Assert.Equal(65_536, room.Length);
        bytes.CopyTo(room);
        buffer.Advance(bytes.Length);
        buffer.Skip(bytes.Length - rest);
        buffer.Trim();

        Assert.Equal((rest, capacity), (buffer.Length, buffer.Capacity));
        Assert.Equal(bytes[^rest..], buffer.Bytes.ToArray());
        Assert.Equal(bytes[^rest..][..16], buffer.CopyTo(new byte[16]).ToArray());
        Assert.Equal(bytes[^rest], buffer.First[0]);
    }

    [Fact]
    public void Bytes_that_were_consumed_stay_valid_until_the_buffer_is_trimmed()
    {
        FrameBuffer buffer = new();
        byte[] bytes = new byte[40_000];
        new Random(7).NextBytes(bytes);
        buffer.Write(bytes);
        ReadOnlySequence<byte> frame = buffer.Bytes.Slice(0, 39_000);
        byte[] first = ArraysOf(buffer)[0];

        buffer.Skip(39_000);
        Assert.Equal(bytes[..39_000], frame.ToArray());
        Assert.Equal(bytes[..Small], first);
        buffer.Trim();
        Assert.Equal(bytes[39_000..], buffer.Bytes.ToArray());
    }

    [Fact]
    public void A_kept_frame_array_is_not_reused()
    {
        FrameBuffer buffer = new();
        buffer.Write([1, 2, 3]);
        byte[] kept = ArraysOf(buffer)[0];
        buffer.Keep(kept);
        buffer.Skip(3);
        buffer.Trim();
        buffer.Write([4, 5, 6]);

        Assert.NotSame(kept, ArraysOf(buffer)[0]);
        Assert.Equal([1, 2, 3], kept[..3]);
    }

    [Fact]
    public void ReleaseCapacity_frees_unused_memory()
    {
        FrameBuffer buffer = new();
        buffer.GetMemory();
        buffer.ReleaseCapacity();
        Assert.Equal(0, buffer.Capacity);

        buffer.Write(new byte[Small - 100]);
        buffer.GetMemory();
        Assert.Equal(2 * Small, buffer.Capacity);
        buffer.ReleaseCapacity();
        Assert.Equal(Small, buffer.Capacity);
        Assert.Equal(Small - 100, buffer.Bytes.Length);
        buffer.Write([7]);
        Assert.Equal(Small, buffer.Capacity);
        Assert.Equal(7, buffer.Bytes.ToArray()[^1]);

        buffer.Release();
        Assert.Equal((0, 0, 0), (buffer.Length, buffer.Capacity, buffer.Charge));
    }

    private static List<byte[]> ArraysOf(FrameBuffer buffer)
    {
        List<byte[]> arrays = [];
        foreach (ReadOnlyMemory<byte> memory in buffer.Bytes)
        {
            Assert.True(MemoryMarshal.TryGetArray(memory, out ArraySegment<byte> array));
            if (array.Count > 0)
            {
                arrays.Add(array.Array!);
            }
        }

        return arrays;
    }

    // A piece that nothing was read into yet is not among those of the bytes.
    private static int RoomBehind(FrameBuffer buffer)
    {
        MemoryMarshal.TryGetArray(buffer.GetMemory(), out ArraySegment<byte> room);
        return room.Offset == 0 ? room.Array!.Length : 0;
    }
}
