using System.IO.Pipelines;

namespace CoAP.NET.Tests.Serialization;

/// <summary>In how many writes, and from which buffers, a message leaves.</summary>
public class StreamWriterTests
{
    [Theory]
    [InlineData(0, 1)]
    [InlineData(4096, 1)]
    [InlineData(4097, 2)]
    [InlineData(500_000, 2)]
    public async Task A_small_payload_is_written_together_with_the_options_and_a_large_payload_separately(int payload, int writes)
    {
        CoapMessage message = new(CoapCode.Content) { Payload = Wire.Pattern(payload) };
        message.Options.Add(12, default);
        using RecordingStream stream = new();
        await CoapStreamSerializer.Default.SerializeAsync(stream, message);
        Assert.Equal(writes, stream.Writes.Count);
        if (writes == 2)
        {
            Assert.Equal(payload, stream.Writes[1]);
        }
    }

    [Fact]
    public async Task Options_larger_than_a_buffer_are_written_in_parts_of_bounded_size()
    {
        CoapMessage message = new(CoapCode.Content) { Token = new CoapToken(Wire.Pattern(60_000)), Payload = Wire.Pattern(100) };
        for (int i = 0; i < 20; i++)
        {
            message.Options.Add(i, Wire.Pattern(65_804 - i));
        }

        CoapStreamSerializer serializer = new(new CoapSerializerOptions { MaxMessageSize = 10_000_000 });
        byte[] expected = serializer.Serialize(message);
        using RecordingStream stream = new();
        await serializer.SerializeAsync(stream, message);
        Assert.True(stream.ToArray().AsSpan().SequenceEqual(expected));
        Assert.InRange(stream.Writes.Max(), 65_804, 128 * 1024);

        using MemoryStream synchronous = new();
        serializer.Serialize(synchronous, message);
        Assert.True(synchronous.ToArray().AsSpan().SequenceEqual(expected));

        Pipe pipe = new();
        Task<byte[]> all = SerializerPaths.ReadAllAsync(pipe.Reader);
        await serializer.SerializeAsync(pipe.Writer, message);
        await pipe.Writer.CompleteAsync();
        Assert.True((await all).AsSpan().SequenceEqual(expected));

        Assert.Equal(MessageText.Of(message, isFrame: true), MessageText.Of(serializer.Deserialize(expected.AsMemory()), isFrame: true));
    }

    [Fact]
    public async Task The_payload_marker_is_written_after_options_that_end_at_a_part_boundary()
    {
        // Header and options fill the part of 128 KiB to the last byte, with and without a payload behind them.
        foreach (int payload in new[] { 0, 1, 5000 })
        {
            for (int slack = 0; slack < 12; slack++)
            {
                CoapMessage message = new(CoapCode.Content) { Payload = Wire.Pattern(payload) };
                message.Options.Add(1, new byte[65_600]).Add(1, new byte[(128 * 1024) - 65_600 - 13 - slack]).Add(2, default);
                byte[] expected = CoapStreamSerializer.Default.Serialize(message);
                using RecordingStream stream = new();
                await CoapStreamSerializer.Default.SerializeAsync(stream, message);
                Assert.True(stream.ToArray().AsSpan().SequenceEqual(expected), $"payload {payload}, slack {slack}");
                Assert.DoesNotContain(0, stream.Writes);

                using MemoryStream piped = new();
                await CoapStreamSerializer.Default.SerializeAsync(PipeWriter.Create(piped), message);
                Assert.True(piped.ToArray().AsSpan().SequenceEqual(expected), $"payload {payload}, slack {slack}");
            }
        }
    }

    [Fact]
    public async Task Writing_to_a_pipe_whose_reader_completed_ends_without_an_error()
    {
        Pipe pipe = new();
        await pipe.Reader.CompleteAsync();
        await CoapStreamSerializer.Default.SerializeAsync(pipe.Writer, new CoapMessage(CoapCode.Content) { Payload = new byte[1_000_000] });
    }

    [Fact]
    public async Task A_synchronous_exception_of_a_stream_is_thrown_by_the_task()
    {
        using DribblingStream onlySynchronous = new([0x01], 1, isAsync: false);
        ValueTask<CoapMessage> read = CoapStreamSerializer.Default.DeserializeAsync(onlySynchronous);
        await Assert.ThrowsAsync<InvalidOperationException>(async () => await read);

        await using MemoryStream closed = new();
        await closed.DisposeAsync();
        read = CoapStreamSerializer.Default.DeserializeAsync(closed);
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await read);
        ValueTask write = CoapStreamSerializer.Default.SerializeAsync(closed, new CoapMessage(CoapCode.Content));
        await Assert.ThrowsAnyAsync<Exception>(async () => await write);
    }

    [Fact]
    public async Task A_stream_derived_from_MemoryStream_is_used_asynchronously()
    {
        byte[] bytes = Wire.Hex("71457fff32322e332043");
        using AsynchronousMemory source = new(bytes);
        CoapMessage message = await CoapStreamSerializer.Default.DeserializeAsync(source);
        Assert.Equal("2.05 7f |32322e332043", MessageText.Of(message, isFrame: true));
        using AsynchronousMemory destination = new([]);
        await CoapStreamSerializer.Default.SerializeAsync(destination, message);
        Assert.Equal(bytes, destination.ToArray());
    }

    [Fact]
    public async Task An_exception_of_the_stream_is_thrown_unchanged()
    {
        using MemoryStream full = new(new byte[4]);
        CoapMessage message = new(CoapCode.Content) { Payload = new byte[10_000] };
        await Assert.ThrowsAsync<NotSupportedException>(() => CoapStreamSerializer.Default.SerializeAsync(full, message).AsTask());
        Assert.Throws<NotSupportedException>(() => CoapStreamSerializer.Default.Serialize(full, message));
    }

    private sealed class AsynchronousMemory : MemoryStream
    {
        public AsynchronousMemory(byte[] bytes)
        {
            base.Write(bytes);
            Position = 0;
        }

        public override int Read(Span<byte> buffer) => throw new InvalidOperationException("Read synchronously.");

        public override void Write(ReadOnlySpan<byte> buffer) => throw new InvalidOperationException("Written synchronously.");

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            new(base.Read(buffer.Span));

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            base.Write(buffer.Span);
            return default;
        }
    }
}
