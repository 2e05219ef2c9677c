using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET.Tests.Serialization;

/// <summary>Every way into and out of a serializer, so that a test can ask the same of all of them.</summary>
internal static class SerializerPaths
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    public static IReadOnlyList<(string Name, Func<ICoapMessageSerializer, byte[], ValueTask<CoapMessage>> Read)> Readers { get; } =
    [
        ("span", (s, b) => new(s.Deserialize(b.AsSpan()))),
        ("memory", (s, b) => new(s.Deserialize(b.AsMemory()))),
        ("try span", (s, b) =>
            new(s.TryDeserialize(b.AsSpan(), out CoapMessage? m, out CoapFormatError e) ? m : throw new CoapFormatException(e))),
        ("try memory", (s, b) =>
            new(s.TryDeserialize(b.AsMemory(), out CoapMessage? m, out CoapFormatError e) ? m : throw new CoapFormatException(e))),
        ("sequence of one segment", (s, b) => new(Read(s, new ReadOnlySequence<byte>(b), b.Length))),
        ("sequence of one-byte segments", (s, b) => new(Read(s, Segments.Of(b, PipeStep(b.Length)), b.Length))),
        ("sequence of seven-byte segments", (s, b) => new(Read(s, Segments.Of(b, 7), b.Length))),
        ("memory stream", (s, b) => new(s.Deserialize(new MemoryStream(b, 0, b.Length, writable: false, publiclyVisible: true)))),
        ("memory stream in the middle of its buffer", (s, b) => new(s.Deserialize(Middle(b)))),
        ("closed memory stream", (s, b) => new(s.Deserialize(new MemoryStream(b)))),
        ("synchronous stream, byte by byte", (s, b) => new(s.Deserialize(new DribblingStream(b, 1, isAsync: false)))),
        ("async memory stream", (s, b) => s.DeserializeAsync(new MemoryStream(b, 0, b.Length, writable: false, publiclyVisible: true))),
        ("async closed memory stream", (s, b) => s.DeserializeAsync(new MemoryStream(b))),
        ("async stream, byte by byte", (s, b) => s.DeserializeAsync(new DribblingStream(b, 1, isAsync: true))),
        ("async stream that never waits, byte by byte", ReadAtOnce),
        ("async stream that waits now and then", (s, b) => s.DeserializeAsync(new DribblingStream(b, 3, isAsync: true, waits: 3))),
        ("async stream, five bytes at a time", (s, b) => s.DeserializeAsync(new DribblingStream(b, 5, isAsync: true))),
        ("pipe over a stream", (s, b) => s.DeserializeAsync(PipeReader.Create(new DribblingStream(b, 3, isAsync: true)))),
        ("pipe over a sequence", (s, b) => s.DeserializeAsync(PipeReader.Create(Segments.Of(b, 2)))),
        ("filled pipe", ReadFilledPipe),
        ("pipe, byte by byte", (s, b) => ReadPipe(s, b, PipeStep(b.Length))),
        ("pipe, thousand bytes at a time", (s, b) => ReadPipe(s, b, 1000)),
    ];

    public static IReadOnlyList<(string Name, Func<ICoapMessageSerializer, CoapMessage, ValueTask<byte[]>> Write)> Writers { get; } =
    [
        ("array", (s, m) => new(s.Serialize(m))),
        ("span", (s, m) =>
        {
            byte[] bytes = new byte[s.GetSize(m)];
            Assert.True(s.TrySerialize(bytes, m, out int written));
            Assert.Equal(bytes.Length, written);
            Assert.False(s.TrySerialize(bytes.AsSpan(1), m, out written));
            Assert.Equal(0, written);
            return new(bytes);
        }),
        ("buffer writer", (s, m) =>
        {
            ArrayBufferWriter<byte> writer = new();
            Assert.Equal(s.GetSize(m), s.Serialize(writer, m));
            return new(writer.WrittenSpan.ToArray());
        }),
        ("stream", (s, m) =>
        {
            using MemoryStream stream = new();
            s.Serialize(stream, m);
            return new(stream.ToArray());
        }),
        ("async stream", async (s, m) =>
        {
            using MemoryStream stream = new();
            await s.SerializeAsync(stream, m);
            return stream.ToArray();
        }),
        ("slow stream", async (s, m) =>
        {
            using RecordingStream stream = new();
            await s.SerializeAsync(stream, m);
            return stream.ToArray();
        }),
        ("stream that never waits", async (s, m) =>
        {
            using RecordingStream stream = new(isAtOnce: true);
            ValueTask write = s.SerializeAsync(stream, m);
            Assert.True(write.IsCompletedSuccessfully);
            await write;
            return stream.ToArray();
        }),
        ("pipe", async (s, m) =>
        {
            Pipe pipe = new();
            Task<byte[]> all = ReadAllAsync(pipe.Reader);
            await s.SerializeAsync(pipe.Writer, m).AsTask().WaitAsync(s_hang);
            await pipe.Writer.CompleteAsync();
            return await all.WaitAsync(s_hang);
        }),
        ("pipe over a stream", async (s, m) =>
        {
            using MemoryStream stream = new();
            await s.SerializeAsync(PipeWriter.Create(stream), m);
            return stream.ToArray();
        }),
        ("pipe as buffer writer", async (s, m) =>
        {
            using MemoryStream stream = new();
            PipeWriter writer = PipeWriter.Create(stream);
            s.Serialize((IBufferWriter<byte>)writer, m);
            await writer.FlushAsync();
            return stream.ToArray();
        }),
    ];

    /// <summary>What every way in says of some bytes; fails when two of them differ.</summary>
    public static async Task<string> ReadEveryWay(ICoapMessageSerializer serializer, byte[] bytes, bool isFrame)
    {
        string? first = null;
        foreach ((string name, Func<ICoapMessageSerializer, byte[], ValueTask<CoapMessage>> read) in Readers)
        {
            string verdict;
            try
            {
                verdict = MessageText.Of(await read(serializer, bytes).AsTask().WaitAsync(s_hang), isFrame);
            }
            catch (CoapFormatException exception)
            {
                verdict = $"{exception.Rule} at {exception.Position}";
            }

            first ??= verdict;
            if (first != verdict)
            {
                Assert.Fail($"{name}: {verdict}; {Readers[0].Name}: {first}");
            }
        }

        return first!;
    }

    public static async Task<byte[]> ReadAllAsync(PipeReader reader)
    {
        using MemoryStream all = new();
        await reader.CopyToAsync(all);
        return all.ToArray();
    }

    private static CoapMessage Read(ICoapMessageSerializer serializer, ReadOnlySequence<byte> source, int length)
    {
        if (serializer.TryDeserialize(source, out CoapMessage? message, out SequencePosition consumed, out CoapFormatError error))
        {
            Assert.Equal(length, source.Slice(0, consumed).Length);
            return message;
        }

        Assert.Equal(source.Start, consumed);

        // Without an error more bytes are wanted, and here there are none.
        throw new CoapFormatException(error.IsNone ? new CoapFormatError(CoapMessageFormatViolation.EndOfStream, length) : error);
    }

    private static MemoryStream Middle(byte[] bytes)
    {
        byte[] larger = [0x99, 0x98, .. bytes, 0x97];
        return new MemoryStream(larger, 1, bytes.Length + 1, writable: false, publiclyVisible: true) { Position = 1 };
    }

    private static ValueTask<CoapMessage> ReadAtOnce(ICoapMessageSerializer serializer, byte[] bytes)
    {
        ValueTask<CoapMessage> read = serializer.DeserializeAsync(new DribblingStream(bytes, 1, isAsync: true, waits: 0));
        Assert.True(read.IsCompleted);
        return read;
    }

    private static async ValueTask<CoapMessage> ReadFilledPipe(ICoapMessageSerializer serializer, byte[] bytes)
    {
        Pipe pipe = new(new PipeOptions(pauseWriterThreshold: 0));
        await pipe.Writer.WriteAsync(bytes);
        await pipe.Writer.CompleteAsync();
        ValueTask<CoapMessage> read = serializer.DeserializeAsync(pipe.Reader);
        Assert.True(read.IsCompleted);
        return await read;
    }

    // Each step looks at the message anew, which takes the square of the length.
    private static int PipeStep(int length) => Math.Max(1, length / 2000);

    private static async ValueTask<CoapMessage> ReadPipe(ICoapMessageSerializer serializer, byte[] bytes, int chunk)
    {
        Pipe pipe = new();
        Task<CoapMessage> read = ReadAndLeave(serializer, pipe.Reader);
        for (int i = 0; i < bytes.Length && !read.IsCompleted; i += chunk)
        {
            await pipe.Writer.WriteAsync(bytes.AsMemory(i, Math.Min(chunk, bytes.Length - i)));
        }

        await pipe.Writer.CompleteAsync();
        return await read;
    }

    // A reader that stopped at an error must not leave the writer waiting.
    private static async Task<CoapMessage> ReadAndLeave(ICoapMessageSerializer serializer, PipeReader reader)
    {
        try
        {
            return await serializer.DeserializeAsync(reader);
        }
        finally
        {
            await reader.CompleteAsync();
        }
    }
}
