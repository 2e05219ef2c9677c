using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;

namespace CoAP.NET.Tests.Serialization;

/// <summary>A message format of one's own over <see cref="CoapCustomFormatSerializer"/>, and messages that are read one after
/// another.</summary>
public sealed class CustomFormatSerializerTests
{
    private static readonly LengthCodec s_codec = new();

    [Fact]
    public async Task A_codec_with_two_members_supports_every_way_to_read_and_write()
    {
        CoapMessage message = NewMessage(300);
        byte[] bytes = s_codec.Serialize(message);
        ArrayBufferWriter<byte> writer = new();
        Span<byte> span = new byte[bytes.Length];
        using MemoryStream stream = new();
        Pipe pipe = new();

        Assert.Equal(bytes.Length, s_codec.GetSize(message));
        Assert.Equal(bytes.Length, s_codec.Serialize(writer, message));
        Assert.True(s_codec.TrySerialize(span, message, out int written));
        Assert.False(s_codec.TrySerialize(span[..^1], message, out int none));
        Assert.Equal((bytes.Length, 0), (written, none));
        Assert.Equal(bytes, span.ToArray());
        Assert.Equal(bytes, writer.WrittenSpan.ToArray());
        s_codec.Serialize(stream, message);
        await s_codec.SerializeAsync(stream, message);
        Assert.Equal([.. bytes, .. bytes], stream.ToArray());
        await s_codec.SerializeAsync(pipe.Writer, message);

        AssertSame(message, s_codec.Deserialize(bytes.AsSpan()));
        AssertSame(message, s_codec.Deserialize(bytes.AsMemory()));
        AssertSame(message, await s_codec.DeserializeAsync(pipe.Reader));
        stream.Position = 0;
        AssertSame(message, s_codec.Deserialize(stream));
        Assert.Equal(bytes.Length, stream.Position);
        AssertSame(message, await s_codec.DeserializeAsync(stream));
        Assert.Equal(2 * bytes.Length, stream.Position);
    }

    [Fact]
    public async Task A_message_that_arrives_byte_by_byte_is_read_when_complete()
    {
        CoapMessage message = NewMessage(20);
        Pipe pipe = new();
        ValueTask<CoapMessage> reading = s_codec.DeserializeAsync(pipe.Reader);
        byte[] bytes = s_codec.Serialize(message);
        foreach (byte one in bytes)
        {
            Assert.False(reading.IsCompleted);
            await pipe.Writer.WriteAsync(new[] { one });
        }

        AssertSame(message, await reading);
        AssertSame(message, s_codec.Deserialize(new DribblingStream(bytes, 1, false)));
    }

    [Theory]
    [InlineData("", CoapMessageFormatViolation.EndOfStream)]
    [InlineData("000545", CoapMessageFormatViolation.EndOfStream)]
    [InlineData("00020545", CoapMessageFormatViolation.CodeReserved)]
    [InlineData("0001450000", CoapMessageFormatViolation.TrailingBytes)]
    public async Task The_error_for_malformed_bytes_names_the_violated_rule(string hex, CoapMessageFormatViolation rule)
    {
        byte[] bytes = Wire.Hex(hex);
        using MemoryStream stream = new(bytes);
        Pipe pipe = new();
        await pipe.Writer.WriteAsync(bytes);
        await pipe.Writer.CompleteAsync();

        Assert.False(s_codec.TryDeserialize(bytes.AsMemory(), out CoapMessage? message, out CoapFormatError error));
        Assert.Null(message);
        Assert.Equal(rule, error.Rule);
        Assert.Equal(rule, Assert.Throws<CoapFormatException>(() => s_codec.Deserialize(bytes.AsSpan())).Rule);
        if (rule != CoapMessageFormatViolation.TrailingBytes)
        {
            Assert.Equal(rule, Assert.Throws<CoapFormatException>(() => s_codec.Deserialize(stream)).Rule);
            Assert.Equal(rule,
                (await Assert.ThrowsAsync<CoapFormatException>(() => s_codec.DeserializeAsync(pipe.Reader).AsTask())).Rule);
        }
    }

    [Fact]
    public async Task A_message_above_the_limit_is_refused_before_it_has_arrived()
    {
        using MemoryStream stream = new([0xff, 0xff, .. new byte[5000]]);
        Pipe pipe = new();
        await pipe.Writer.WriteAsync(stream.ToArray());

        Assert.Equal(CoapMessageFormatViolation.MessageTooLarge,
            Assert.Throws<CoapFormatException>(() => s_codec.Deserialize(stream)).Rule);
        Assert.Equal(CoapMessageFormatViolation.MessageTooLarge,
            (await Assert.ThrowsAsync<CoapFormatException>(() => s_codec.DeserializeAsync(pipe.Reader).AsTask())).Rule);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(100)]
    public async Task All_messages_of_a_stream_are_read_to_its_end(int count)
    {
        using MemoryStream stream = new();
        for (int i = 0; i < count; i++)
        {
            CoapStreamSerializer.Default.Serialize(stream, NewMessage(i));
        }

        stream.Position = 0;
        List<int> lengths = [];
        await foreach (CoapMessage message in CoapStreamSerializer.Default.ReadAllAsync(stream))
        {
            lengths.Add(message.Payload.Length);
        }

        Assert.Equal(Enumerable.Range(0, count), lengths);
        Assert.True(stream.CanRead);
    }

    [Fact]
    public async Task A_stream_that_ends_within_a_message_throws_after_the_complete_messages()
    {
        byte[] whole = CoapStreamSerializer.Default.Serialize(NewMessage(10));
        using MemoryStream stream = new([.. whole, .. whole[..^1]]);
        int read = 0;

        CoapFormatException error = await Assert.ThrowsAsync<CoapFormatException>(async () =>
        {
            await foreach (CoapMessage message in CoapStreamSerializer.Default.ReadAllAsync(stream))
            {
                read++;
            }
        });

        Assert.Equal((1, CoapMessageFormatViolation.EndOfStream), (read, error.Rule));
    }

    [Fact]
    public async Task Reading_all_stops_when_it_is_cancelled()
    {
        Pipe pipe = new();
        using CancellationTokenSource stop = new();
        IAsyncEnumerator<CoapMessage> messages = CoapStreamSerializer.Default.ReadAllAsync(pipe.Reader, stop.Token)
            .GetAsyncEnumerator(CancellationToken.None);
        Task<bool> next = messages.MoveNextAsync().AsTask();
        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => next);
        await messages.DisposeAsync();
    }

    [Fact]
    public void Changing_a_clone_does_not_change_the_original_message()
    {
        CoapMessage message = NewMessage(3);
        message.Type = CoapMessageType.NonConfirmable;
        message.MessageId = 7;
        message.Token = new CoapToken([1, 2]);
        message.Options.Add(new UriPathOption("a"));

        CoapMessage clone = message.Clone();
        clone.Options.Add(new UriPathOption("b"));
        clone.Code = CoapCode.Put;
        clone.MessageId = 8;

        Assert.Equal((CoapMessageType.NonConfirmable, 8, 2), (clone.Type, clone.MessageId, clone.Options.Count));
        Assert.Equal((CoapCode.Content, 7, 1), (message.Code, message.MessageId, message.Options.Count));
        Assert.Equal(message.Token, clone.Token);
        Assert.Equal(message.Payload, clone.Payload);
    }

    private static CoapMessage NewMessage(int payload) =>
        new(CoapCode.Content) { Payload = Enumerable.Range(0, payload).Select(i => (byte)i).ToArray() };

    private static void AssertSame(CoapMessage expected, CoapMessage read)
    {
        Assert.Equal(expected.Code, read.Code);
        Assert.Equal(expected.Payload.ToArray(), read.Payload.ToArray());
    }

    /// <summary>Two bytes of length, the code, the payload.</summary>
    private sealed class LengthCodec : CoapCustomFormatSerializer
    {
        protected override int MaxMessageSize => 2000;

        protected override bool TryRead(
            in ReadOnlySequence<byte> source, bool isWhole, [NotNullWhen(true)] out CoapMessage? message, out SequencePosition consumed,
            out CoapFormatError error)
        {
            SequenceReader<byte> reader = new(source);
            message = null;
            consumed = source.Start;
            error = default;
            if (!reader.TryReadBigEndian(out short length) || reader.Remaining < (ushort)length || !reader.TryRead(out byte code))
            {
                return false;
            }

            if (code >> 5 is 1 or 6 or 0 && code != 0)
            {
                error = new CoapFormatError(CoapMessageFormatViolation.CodeReserved, 2);
                return false;
            }

            ReadOnlySequence<byte> payload = source.Slice(3, (ushort)length - 1);
            message = new CoapMessage(new CoapCode(code)) { Payload = payload.IsSingleSegment ? payload.First : payload.ToArray() };
            consumed = payload.End;
            return true;
        }

        protected override int BytesMissing(ReadOnlySpan<byte> beginning) =>
            beginning.Length < 2 ? 2 - beginning.Length : 2 + ((beginning[0] << 8) | beginning[1]) - beginning.Length;

        protected override void Write(IBufferWriter<byte> destination, CoapMessage message)
        {
            int length = message.Payload.Length + 1;
            destination.Write([(byte)(length >> 8), (byte)length, message.Code.Value]);
            destination.Write(message.Payload.Span);
        }
    }
}
