using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>What a connection that takes nothing makes a server hold.</summary>
public sealed class SendQueueTests
{
    [Fact]
    public void A_partially_sent_frame_is_charged_with_its_whole_buffer_until_fully_sent()
    {
        SendQueue queue = new();
        CoapDatagram frame = new(100_000) { Length = 100_000 };
        long buffer = frame.Buffer.Length;

        queue.Add(frame, 60_000);
        Assert.Equal((40_000L, buffer), (queue.Length, queue.QueuedBytes));
        queue.Skip(39_999);
        Assert.Equal((1L, buffer), (queue.Length, queue.QueuedBytes));
        queue.Skip(1);
        Assert.Equal((0L, 0L), (queue.Length, queue.QueuedBytes));
    }

    [Fact]
    public void Small_frames_are_charged_with_the_buffers_into_which_they_are_copied()
    {
        SendQueue queue = new();
        queue.Prepend(new byte[10]);
        long held = queue.QueuedBytes;
        Assert.InRange(held, 10, 4096);
        queue.Prepend(new byte[5000]);
        Assert.True(queue.QueuedBytes >= held + 5000);

        queue.Clear();
        Assert.Equal((0L, 0L), (queue.Length, queue.QueuedBytes));
    }
}
