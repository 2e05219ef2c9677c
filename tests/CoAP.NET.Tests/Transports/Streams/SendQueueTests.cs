using System.Runtime.InteropServices;
using CoAP.NET.Transports;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>The bytes that wait for a connection: all of them, once, in order, and no memory afterwards.</summary>
public sealed class SendQueueTests
{
    private const int Large = 20_000;

    private byte _next;

    [Fact]
    public void A_partially_sent_frame_continues_at_the_next_byte()
    {
        SendQueue queue = new();
        CoapDatagram frame = Frame(Large, offset: 100);
        byte[] rest = frame.Span[300..].ToArray();

        queue.Add(frame, sent: 300);

        Assert.Equal(rest.Length, queue.Length);
        Assert.Equal(rest, queue.Peek().ToArray());
        queue.Skip(7_000);
        Assert.Equal(rest[7_000..], queue.Peek().ToArray());
        queue.Skip(rest.Length - 7_000);
        AssertEmpty(queue);
    }

    [Fact]
    public void The_rest_of_a_large_frame_waits_in_its_own_buffer_without_a_copy()
    {
        SendQueue queue = new();
        CoapDatagram frame = Frame(Large, offset: 100);
        byte[] buffer = frame.Buffer;

        queue.Add(frame, sent: 300);

        Assert.True(MemoryMarshal.TryGetArray(queue.Peek(), out ArraySegment<byte> waiting));
        Assert.Same(buffer, waiting.Array);
    }

    [Fact]
    public void Frames_of_all_sizes_leave_in_order_in_small_pieces()
    {
        SendQueue queue = new(firstSize: 64);
        List<byte> expected = [];
        foreach (int length in (int[])[10, 60, 1, Large, 8_191, 8_192, 100, 40_000, 3])
        {
            CoapDatagram frame = Frame(length, offset: length % 7);
            int sent = length % 3;
            expected.AddRange(frame.Span[sent..]);
            queue.Add(frame, sent);
        }

        byte[] first = [0xf0, 0xf1, 0xf2];
        queue.Prepend(first);
        expected.InsertRange(0, first);

        Assert.Equal(expected, Drain(queue, atOnce: 777));
        AssertEmpty(queue);
    }

    [Fact]
    public void A_queue_accepts_frames_while_its_first_bytes_are_sent()
    {
        SendQueue queue = new(firstSize: 32);
        List<byte> expected = [];
        List<byte> left = [];
        for (int i = 0; i < 200; i++)
        {
            CoapDatagram frame = Frame(1 + (i * 37 % 90), offset: 0);
            expected.AddRange(frame.Span);
            queue.Add(frame, sent: 0);
            int count = Math.Min(queue.Peek().Length, 20);
            left.AddRange(queue.Peek().Span[..count]);
            queue.Skip(count);
            Assert.Equal(expected.Count - left.Count, queue.Length);
        }

        left.AddRange(Drain(queue, atOnce: 50));
        Assert.Equal(expected, left);
        AssertEmpty(queue);
    }

    [Fact]
    public void Prepended_bytes_are_sent_first_in_an_empty_queue()
    {
        SendQueue queue = new();
        queue.Prepend([1, 2, 3]);
        CoapDatagram frame = Frame(5, offset: 2);
        byte[] expected = [1, 2, 3, .. frame.Span];

        queue.Add(frame, sent: 0);

        Assert.Equal(expected, Drain(queue, atOnce: 2));
        AssertEmpty(queue);
    }

    [Fact]
    public void Clear_frees_the_memory_and_frames_of_the_queue()
    {
        CoapDatagramPool pool = new(Large);
        SendQueue queue = new();
        CoapDatagram large = pool.Rent();
        byte[] buffer = large.Buffer;
        large.Length = Large;
        queue.Add(large, sent: 0);
        queue.Add(Frame(10, offset: 0), sent: 0);
        Assert.InRange(queue.QueuedBytes, Large + 10, 4 * Large);

        queue.Clear();

        AssertEmpty(queue);
        using CoapDatagram again = pool.Rent();
        Assert.Same(buffer, again.Buffer);
        queue.Add(Frame(10, offset: 0), sent: 4);
        Assert.Equal(6, Drain(queue, atOnce: 100).Count);
    }

    private static List<byte> Drain(SendQueue queue, int atOnce)
    {
        List<byte> all = [];
        while (!queue.Peek().IsEmpty)
        {
            int count = Math.Min(queue.Peek().Length, atOnce);
            all.AddRange(queue.Peek().Span[..count]);
            queue.Skip(count);
        }

        return all;
    }

    private static void AssertEmpty(SendQueue queue)
    {
        Assert.True(queue.Peek().IsEmpty);
        Assert.Equal(0, queue.Length);
        Assert.Equal(0, queue.QueuedBytes);
    }

    private CoapDatagram Frame(int length, int offset)
    {
        byte[] buffer = new byte[offset + length];
        for (int i = 0; i < length; i++)
        {
            buffer[offset + i] = ++_next;
        }

        CoapDatagram frame = CoapDatagram.MakeView();
        frame.Show(buffer, offset, length);
        return frame;
    }
}
