using System.Buffers;
using System.IO.Pipelines;
using CoAP.NET.Options;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Options are read and written without a message, by every way as within one.</summary>
public sealed class OptionsAloneTests
{
    // A datagram without a token; options follow.
    private const string Head = "40017d34";

    [Theory]
    [InlineData("")]
    [InlineData("b474657374")]
    [InlineData("b474657374ff21")]
    [InlineData("c11e2102ff0001")]
    [InlineData("e1fcfb07")]
    [InlineData("bd01306162636465666768696a6b6c6d6e6f707172737475767778797a303132ff00")]
    [InlineData("ff")]
    [InlineData("b474657374ff")]
    [InlineData("b474657374f0")]
    [InlineData("1f")]
    [InlineData("c0d0")]
    [InlineData("e0")]
    [InlineData("e001")]
    [InlineData("bd")]
    [InlineData("be01")]
    [InlineData("c0b474")]
    [InlineData("bd0061")]
    [InlineData("beffff61")]
    [InlineData("e0ffffe0ffff")]
    [InlineData("c0e0fef110")]
    [InlineData("0000000000ff")]
    [Rfc("7252-3.1-2", "7252-3.1-3", "7252-3.1-4")]
    public async Task Options_are_read_by_every_way_as_in_a_message(string hex)
    {
        CoapSerializerOptions limits = new() { MaxOptions = 4 };
        byte[] bytes = Wire.Hex(hex);
        string expected;
        if (new CoapDatagramSerializer(limits).TryDeserialize(Wire.Hex(Head + hex), out CoapMessage? message, out CoapFormatError error))
        {
            expected = $"{message.Options} {Wire.Hex(message.Payload.Span)}";
        }
        else
        {
            expected = $"{error.Rule} at {error.Offset - 4}";
        }

        CoapOptionReader reader = new(limits);
        Assert.Equal(expected, Said(() => $"{reader.Read(bytes, out int consumed)} {Wire.Hex(bytes.AsSpan(consumed))}"));
        foreach (int size in new[] { 1, 3, 1000 })
        {
            ReadOnlySequence<byte> parts = size < 1000 && bytes.Length > 0 ? Segments.Of(bytes, size) : new ReadOnlySequence<byte>(bytes);
            Assert.Equal(expected, Said(() => $"{reader.Read(parts, out SequencePosition end)} {Wire.Hex(parts.Slice(end).ToArray())}"));
            Assert.Equal(expected, await OfPipeAsync(reader, PipeReader.Create(parts)));
            Assert.Equal(expected, await OfPipeAsync(reader, PipeReader.Create(new DribblingStream(bytes, size, isAsync: true))));

            // A stream is read ahead, so its payload is not there any more.
            DribblingStream stream = new(bytes, size, isAsync: true);
            string read = await SaidAsync(async () => string.Join(", ", await reader.ReadAsync(stream).ToArrayAsync()));
            expected.Begins(read);
            Assert.Equal(message is null, read == expected);
        }
    }

    [Fact]
    public async Task An_option_is_returned_before_the_next_option_arrives()
    {
        Pipe pipe = new();
        await using IAsyncEnumerator<CoapOption> options = CoapOptionReader.Default.ReadAsync(pipe.Reader).GetAsyncEnumerator();
        Task<bool> first = options.MoveNextAsync().AsTask();
        await pipe.Writer.WriteAsync(Wire.Hex("b2"));
        await pipe.Writer.WriteAsync(Wire.Hex("61"));
        Assert.False(first.IsCompleted);
        await pipe.Writer.WriteAsync(Wire.Hex("62"));
        Assert.True(await first.WaitAsync(HangGuard.InMemory));
        Assert.Equal("ab", Assert.IsType<UriPathOption>(options.Current).Value);

        Task<bool> second = options.MoveNextAsync().AsTask();
        pipe.Reader.CancelPendingRead();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second.WaitAsync(HangGuard.InMemory));
    }

    [Fact]
    public async Task An_option_reader_uses_its_code_and_reads_a_long_value_from_many_segments()
    {
        CoapOptionReader pings = new(code: CoapCode.Ping);
        Assert.IsType<CustodyOption>(Assert.Single(pings.Read(Wire.Hex("20"), out _)));
        Assert.IsType<UnrecognizedOption>(Assert.Single(CoapOptionReader.Default.Read(Wire.Hex("20"), out _)));

        byte[] bytes = CoapOptionWriter.Write(new CoapOptionCollection().Add(65_000, new byte[60_000]).Add(65_000, [1]));
        CoapOption[] read = await CoapOptionReader.Default.ReadAsync(PipeReader.Create(Segments.Of(bytes, 7))).ToArrayAsync();
        Assert.Equal([60_000, 1], read.Select(static option => option.ValueLength));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Options_are_written_by_every_way_as_in_a_message(bool isLarge)
    {
        CoapMessage message = new(CoapCode.Get) { MessageId = 1 };
        message.Options.Add(new UriPathOption("a")).Add(new UriPathOption("b")).Add(65_000, new byte[300]);
        for (int i = 0; isLarge && i < 5; i++)
        {
            message.Options.Add(65_001, new byte[60_000]);
        }

        CoapOptionCollection options = message.Options;
        byte[] expected = CoapDatagramSerializer.Default.Serialize(message)[4..];
        Assert.Equal(expected.Length, CoapOptionWriter.GetSize(options));
        Assert.Equal(expected, CoapOptionWriter.Write(options));

        byte[] span = new byte[expected.Length];
        Assert.False(CoapOptionWriter.TryWrite(span.AsSpan(1), options, out int written));
        Assert.Equal(0, written);
        Assert.True(CoapOptionWriter.TryWrite(span, options, out written));
        Assert.Equal(expected, span);
        Assert.Equal(expected.Length, written);
        Assert.Equal(0, Allocations.Least(() => CoapOptionWriter.TryWrite(span, options, out _)));

        ArrayBufferWriter<byte> buffer = new();
        Assert.Equal(expected.Length, CoapOptionWriter.Write(buffer, options));
        Assert.Equal(expected, buffer.WrittenSpan.ToArray());

        using MemoryStream stream = new();
        CoapOptionWriter.Write(stream, options);
        Assert.Equal(expected, stream.ToArray());
        using RecordingStream slow = new();
        await CoapOptionWriter.WriteAsync(slow, options);
        Assert.Equal(expected, slow.ToArray());

        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 64 * 1024, resumeWriterThreshold: 1, useSynchronizationContext: false));
        Task write = CoapOptionWriter.WriteAsync(pipe.Writer, options).AsTask();
        Assert.Equal(!isLarge, write.IsCompleted);
        Task<byte[]> read = ReadAllAsync(pipe.Reader);
        await write.WaitAsync(HangGuard.InMemory);
        await pipe.Writer.CompleteAsync();
        Assert.Equal(expected, await read.WaitAsync(HangGuard.InMemory));
    }

    [Fact]
    public async Task An_empty_collection_writes_no_bytes_and_a_value_that_is_too_long_is_refused()
    {
        Assert.Empty(CoapOptionWriter.Write(new CoapOptionCollection()));
        using RecordingStream nothing = new();
        await CoapOptionWriter.WriteAsync(nothing, new CoapOptionCollection());
        Assert.Empty(nothing.ToArray());
        CoapOptionCollection tooLong = new CoapOptionCollection().Add(65_000, new byte[65_805]);
        ArgumentException error = Assert.Throws<ArgumentException>(() => CoapOptionWriter.GetSize(tooLong));
        error.Mentions("65804");
    }

    private static async Task<string> OfPipeAsync(CoapOptionReader reader, PipeReader pipe) => await SaidAsync(async () =>
    {
        string options = string.Join(", ", await reader.ReadAsync(pipe).ToArrayAsync());
        return $"{options} {Wire.Hex(await ReadAllAsync(pipe))}";
    });

    private static async Task<byte[]> ReadAllAsync(PipeReader pipe)
    {
        using MemoryStream all = new();
        await pipe.CopyToAsync(all);
        return all.ToArray();
    }

    private static string Said(Func<string> read) => SaidAsync(() => Task.FromResult(read())).GetAwaiter().GetResult();

    private static async Task<string> SaidAsync(Func<Task<string>> read)
    {
        try
        {
            return await read();
        }
        catch (CoapFormatException exception)
        {
            return $"{exception.Rule} at {exception.Position}";
        }
    }
}
