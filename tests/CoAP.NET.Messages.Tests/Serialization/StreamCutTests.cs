using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Frames that come in pieces, and several in one piece.</summary>
[Rfc("8323-3.2-1")]
public class StreamCutTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    // CSM, Ping and GET one after another, a token and a body with extended lengths, and an Empty message.
    private static readonly byte[] s_conversation =
        Wire.Hex("00e1 01e242 c1017fbb74656d7065726174757265 0000 d20a45aabbff" + new string('6', 44) + "0d0100" + new string('7', 26));

    private static readonly string[] s_messages =
        ["7.01 -", "7.02 42", "0.01 7f 11:74656d7065726174757265", "0.00 -", "2.05 aabb |" + new string('6', 44),
            "0.01 " + new string('7', 26)];

    [Theory]
    [MemberData(nameof(Vectors.Frames), MemberType = typeof(Vectors))]
    public void A_frame_cut_at_any_byte_gives_the_same_message(string id, string hex, string text)
    {
        _ = id;
        byte[] frame = Wire.Hex(hex);
        int step = frame.Length > 1000 ? 997 : 1;
        for (int cut = 0; cut < frame.Length; cut += step)
        {
            ReadOnlySequence<byte> begun = new(frame, 0, cut);
            Assert.False(CoapStreamSerializer.Default.TryDeserialize(begun, out CoapMessage? message, out SequencePosition consumed,
                out CoapFormatError error));
            Assert.True(error.IsNone, $"{error.Rule} after {cut} of {frame.Length} bytes");
            Assert.Equal(begun.Start, consumed);

            ReadOnlySequence<byte> whole = Segments.Of(frame[..cut], frame[cut..]);
            Assert.True(CoapStreamSerializer.Default.TryDeserialize(whole, out message, out consumed, out _));
            Assert.Equal(0, whole.Slice(consumed).Length);
            Assert.Equal(MessageText.Canonical(text), MessageText.Of(message, isFrame: true));
        }
    }

    [Fact]
    public async Task Conversation_split_in_two_anywhere_is_the_same_through_a_pipe()
    {
        for (int cut = 0; cut <= s_conversation.Length; cut++)
        {
            await AssertConversation(s_conversation[..cut], s_conversation[cut..]);
        }
    }

    [Fact]
    public async Task Conversation_byte_by_byte_is_the_same_through_a_pipe()
    {
        await AssertConversation([.. s_conversation.Chunk(1)]);
        await AssertConversation([.. s_conversation.Chunk(3)]);
        await AssertConversation(s_conversation);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(1000)]
    public async Task Conversation_is_the_same_through_a_stream_and_no_byte_is_read_early(int chunk)
    {
        using DribblingStream slow = new(s_conversation, chunk, isAsync: true);
        using DribblingStream quick = new(s_conversation, chunk, isAsync: false);
        using MemoryStream memory = new(s_conversation, 0, s_conversation.Length, writable: false, publiclyVisible: true);
        long end = 0;
        foreach (string expected in s_messages)
        {
            CoapMessage message = await CoapStreamSerializer.Default.DeserializeAsync(slow).AsTask().WaitAsync(s_hang);
            Assert.Equal(expected, MessageText.Of(message, isFrame: true));
            Assert.Equal(expected, MessageText.Of(CoapStreamSerializer.Default.Deserialize(quick), isFrame: true));
            Assert.Equal(expected, MessageText.Of(await CoapStreamSerializer.Default.DeserializeAsync(memory), isFrame: true));
            end += CoapStreamSerializer.Default.GetSize(message);
            Assert.Equal((end, end, end), (slow.Position, quick.Position, memory.Position));
        }

        CoapFormatException exception =
            await Assert.ThrowsAsync<CoapFormatException>(() => CoapStreamSerializer.Default.DeserializeAsync(slow).AsTask());
        Assert.Equal((CoapMessageFormatViolation.EndOfStream, 0), (exception.Rule, exception.Position));
    }

    [Fact]
    public async Task A_pipe_keeps_the_bytes_after_the_message_and_the_message_keeps_its_own_bytes()
    {
        Pipe pipe = new();
        byte[] bytes = [.. Wire.Hex("71457fff32322e332043"), .. Wire.Hex("01e242")];
        await pipe.Writer.WriteAsync(bytes);
        ValueTask<CoapMessage> read = CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader);
        Assert.True(read.IsCompletedSuccessfully);
        CoapMessage message = await read;

        Assert.True(pipe.Reader.TryRead(out ReadResult rest));
        Assert.Equal("01e242", Wire.Hex(rest.Buffer.ToArray()));
        pipe.Reader.AdvanceTo(rest.Buffer.End);

        // The pipe reuses its memory now.
        await pipe.Writer.WriteAsync(new byte[4000]);
        Assert.Equal("2.05 7f |32322e332043", MessageText.Of(message, isFrame: true));
    }

    [Fact]
    public async Task A_format_error_consumes_no_bytes_of_the_pipe()
    {
        Pipe pipe = new();
        await pipe.Writer.WriteAsync(Wire.Hex("1001ff01e242"));
        CoapFormatException exception =
            await Assert.ThrowsAsync<CoapFormatException>(() => CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader).AsTask());
        Assert.Equal((CoapMessageFormatViolation.PayloadMissing, 2), (exception.Rule, exception.Position));
        Assert.True(pipe.Reader.TryRead(out ReadResult rest));
        Assert.Equal(6, rest.Buffer.Length);
    }

    [Theory]
    [InlineData(10)]
    [InlineData(100_000)]
    public async Task No_byte_is_read_after_a_complete_frame(int payload)
    {
        byte[] bytes = CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Content) { Payload = new byte[payload] });
        await using NoMoreStream stream = new(bytes);
        Assert.Equal(payload, CoapStreamSerializer.Default.Deserialize(stream).Payload.Length);
        stream.Position = 0;
        Assert.Equal(payload, (await CoapStreamSerializer.Default.DeserializeAsync(stream)).Payload.Length);
    }

    [Fact]
    public async Task Reading_from_a_pipe_can_continue_after_a_cancelled_read()
    {
        Pipe pipe = new();
        using CancellationTokenSource source = new();
        await pipe.Writer.WriteAsync(Wire.Hex("71457fff32"));
        Task<CoapMessage> read = CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader, source.Token).AsTask();
        Assert.False(read.IsCompleted);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.WaitAsync(s_hang));

        Task<CoapMessage> second = CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader).AsTask();
        pipe.Reader.CancelPendingRead();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second.WaitAsync(s_hang));

        await pipe.Writer.WriteAsync(Wire.Hex("322e332043"));
        CoapMessage message = await CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader).AsTask().WaitAsync(s_hang);
        Assert.Equal("2.05 7f |32322e332043", MessageText.Of(message, isFrame: true));
    }

    [Fact]
    public async Task Cancelled_token_is_honoured_before_and_while_reading_and_writing()
    {
        CancellationToken cancelled = new(canceled: true);
        ICoapMessageSerializer[] serializers = [CoapDatagramSerializer.Default, CoapStreamSerializer.Default,
            CoapWebSocketSerializer.Default];
        foreach (ICoapMessageSerializer serializer in serializers)
        {
            CoapMessage message = new(CoapCode.Get) { Payload = new byte[200_000] };
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => serializer.DeserializeAsync(new MemoryStream([1]), cancelled).AsTask());
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => serializer.DeserializeAsync(new Pipe().Reader, cancelled).AsTask());
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => serializer.SerializeAsync(new MemoryStream(), message, cancelled).AsTask());
            await Assert.ThrowsAnyAsync<OperationCanceledException>(
                () => serializer.SerializeAsync(new Pipe().Writer, message, cancelled).AsTask());

            // Nobody reads, so the pipe fills and the writer waits until it is told to stop.
            using CancellationTokenSource source = new();
            Task write = serializer.SerializeAsync(new Pipe().Writer, message, source.Token).AsTask();
            Assert.False(write.IsCompleted);
            await source.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => write.WaitAsync(s_hang));

            using CancellationTokenSource reading = new();
            Pipe silent = new();
            Task<CoapMessage> read = serializer.DeserializeAsync(silent.Reader.AsStream(), reading.Token).AsTask();
            Assert.False(read.IsCompleted);
            await reading.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => read.WaitAsync(s_hang));
        }
    }

    [Fact]
    public async Task A_large_frame_passes_through_a_pipe_with_a_smaller_buffer()
    {
        CoapMessage message = new(CoapCode.Post) { Token = new CoapToken([1, 2, 3]), Payload = Wire.Pattern(900_000) };
        message.Options.Add(11, "firmware"u8);
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 20_000, resumeWriterThreshold: 10_000));
        Task<CoapMessage> read = CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader).AsTask();
        await CoapStreamSerializer.Default.SerializeAsync(pipe.Writer, message).AsTask().WaitAsync(s_hang);
        await pipe.Writer.WriteAsync(Wire.Hex("01e242"));
        CoapMessage received = await read.WaitAsync(s_hang);
        Assert.Equal(MessageText.Of(message, isFrame: true), MessageText.Of(received, isFrame: true));
        Assert.Equal("7.02 42", MessageText.Of(await CoapStreamSerializer.Default.DeserializeAsync(pipe.Reader), isFrame: true));
    }

    [Fact]
    public async Task A_large_frame_whose_source_ends_early_gives_EndOfStream()
    {
        byte[] frame = CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Post) { Payload = new byte[80_000] });
        foreach (int length in new[] { 65_536, 65_537, frame.Length - 1 })
        {
            Assert.Equal($"EndOfStream at {length}",
                await SerializerPaths.ReadEveryWay(CoapStreamSerializer.Default, frame[..length], isFrame: true));
        }
    }

    private static async Task AssertConversation(params byte[][] pieces)
    {
        Pipe pipe = new();
        Task<List<string>> reading = ReadConversation(pipe.Reader);
        foreach (byte[] piece in pieces)
        {
            await pipe.Writer.WriteAsync(piece);
        }

        await pipe.Writer.CompleteAsync();
        Assert.Equal(s_messages, await reading.WaitAsync(s_hang));
    }

    private static async Task<List<string>> ReadConversation(PipeReader reader)
    {
        List<string> messages = [];
        while (true)
        {
            try
            {
                messages.Add(MessageText.Of(await CoapStreamSerializer.Default.DeserializeAsync(reader), isFrame: true));
            }
            catch (CoapFormatException exception) when (exception is { Rule: CoapMessageFormatViolation.EndOfStream, Position: 0 })
            {
                return messages;
            }
        }
    }

    // A connection on which nothing more comes: even a read of no bytes would wait.
    private sealed class NoMoreStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override int Read(Span<byte> buffer) => Position < Length ? base.Read(buffer) : throw Late();

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            Position < Length ? base.ReadAsync(buffer, cancellationToken) : throw Late();

        private static InvalidOperationException Late() => new("It read on.");
    }
}
