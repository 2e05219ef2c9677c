namespace CoAP.NET.Tests.Blockwise;

/// <summary>Answers that lie in streams and files.</summary>
public sealed class SeekableTests : BlockwiseTest
{
    private readonly CountingStreams _streams = new();

    [Theory]
    [Rfc("7959-2.4-6", "7959-2.4-3")]
    [InlineData(100_000, 1024)]
    [InlineData(5000, 16)]
    [InlineData(2048, null)]
    [InlineData(100, null)]
    [InlineData(0, 64)]
    public async Task A_stream_is_opened_once_read_at_the_place_of_each_block_and_disposed(int length, int? size)
    {
        Server.MapGet("/x", () => CoapResults.Stream(_streams.Open(Body(length)), CoapETag.FromVersion(7), CoapContentFormat.Cbor));
        await StartAsync();
        Assert.Equal(Body(length), Download("x", size));
        Assert.InRange(_streams.MostRead, length == 0 ? 0 : 1, 1024);
        Assert.Equal((1, 1), (_streams.Opened, _streams.Disposed));
        Assert.Equal(0, Memory.Responses.Used);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_block_in_the_middle_of_a_stream_has_its_size_and_ETag()
    {
        Server.MapGet("/x", () => CoapResults.Stream(_streams.Open(Body(1_000_000)), CoapETag.FromVersion(7), CoapContentFormat.Cbor));
        await StartAsync();
        CoapMessage answer = Get("x", new BlockValue(10_000, false, 2), options => options.Size2 = 0);
        Assert.Equal((CoapCode.Content, new BlockValue(10_000, true, 2), 1_000_000u),
            (answer.Code, answer.Options.Block2, answer.Options.Size2));
        Assert.Equal(("07", CoapContentFormat.Cbor), (answer.Options.ETag!.Value.ToString(), answer.Options.ContentFormat));
        Assert.Equal(Body(1_000_000)[640_000..640_064], answer.Payload.ToArray());
        Get("x", new BlockValue(15_625, false, 2)).Gives(CoapCode.BadRequest);
    }

    [Fact]
    public async Task The_answer_to_a_POST_is_read_as_a_whole_and_the_handler_runs_once()
    {
        Options.Limits.Blockwise.ResponseMemory = 100_000;
        int length = 3000;
        Server.MapPost("/x", () => CoapResults.Stream(_streams.Open(Body(length)), CoapETag.FromVersion(7)));
        await StartAsync();
        CoapMessage answer = Send(Message(CoapMethod.Post, "x"));
        Assert.Equal(new BlockValue(0, true, 6), answer.Options.Block2);
        answer = Send(Message(CoapMethod.Post, "x", options => options.Block2 = new BlockValue(2, false, 6)));
        Assert.Equal(Body(3000)[2048..], answer.Payload.ToArray());
        Assert.Equal((1, 1), (_streams.Opened, _streams.Disposed));
        length = 100_001;
        Send(Message(CoapMethod.Post, "x")).Gives(CoapCode.InternalServerError);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_file_has_a_tag_of_its_content_and_is_validated_by_it()
    {
        string path = Path.GetTempFileName();
        try
        {
            CoapResult kept = CoapResults.File(path, format: CoapContentFormat.OctetStream);
            Server.MapGet("/x", () => kept);
            await StartAsync();
            await File.WriteAllBytesAsync(path, Body(3000, 1));
            CoapMessage first = await SendLateAsync(Message(CoapMethod.Get, "x"));
            byte[] etag = first.Options.ETag!.Value.ToArray();
            Assert.Equal((new BlockValue(0, true, 6), 8, 3000u), (first.Options.Block2, etag.Length, first.Options.Size2));
            CoapMessage second = await SendLateAsync(Message(CoapMethod.Get, "x", options => options.Block2 = new BlockValue(2, false, 6)));
            Assert.Equal(Body(3000, 1)[2048..], second.Payload.ToArray());
            Assert.Equal(etag, second.Options.ETag!.Value.ToArray());
            Assert.Equal(CoapCode.Valid,
                (await SendLateAsync(Message(CoapMethod.Get, "x", options => options.Add(new ETagOption(etag))))).Code);
            await File.WriteAllBytesAsync(path, Body(3001, 1));
            Assert.NotEqual(etag,
                (await SendLateAsync(
                    Message(CoapMethod.Get, "x", options => options.Block2 = new BlockValue(1, false, 6)))).Options.ETag!.Value.ToArray());
            File.Delete(path);
            Assert.Equal(CoapCode.NotFound, (await SendLateAsync(Message(CoapMethod.Get, "x"))).Code);
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public void A_stream_that_is_not_readable_at_a_position_is_refused_at_once()
    {
        Assert.Throws<ArgumentException>(() => CoapResults.Stream(new MemoryStream(), default));
        Assert.Throws<ArgumentException>(
            () => CoapResults.Stream(new BufferedStream(new System.IO.Pipelines.Pipe().Reader.AsStream()), CoapETag.FromVersion(1)));
        Assert.Throws<ArgumentException>(() => CoapResults.File(string.Empty));
    }

    private sealed class CountingStreams
    {
        public int Opened { get; private set; }

        public int Disposed { get; private set; }

        public int MostRead { get; private set; }

        public Stream Open(byte[] bytes)
        {
            Opened++;
            return new Counting(bytes, this);
        }

        private sealed class Counting(byte[] bytes, CountingStreams owner) : MemoryStream(bytes, writable: false)
        {
            private int _read;

            public override long Position
            {
                get => base.Position;
                set
                {
                    _read = 0;
                    base.Position = value;
                }
            }

            public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
            {
                // Bit by bit, as streams may.
                int read = await base.ReadAsync(buffer[..Math.Min(buffer.Length, 300)], cancellationToken);
                owner.MostRead = Math.Max(owner.MostRead, _read += read);
                return read;
            }

            protected override void Dispose(bool disposing)
            {
                owner.Disposed++;
                base.Dispose(disposing);
            }
        }
    }
}
