using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Answers whose body is read from front to back.</summary>
public sealed class SequentialBodyTests : BlockwiseTest
{
    private readonly List<PatternStream> _streams = [];

    [Theory]
    [Rfc("7959-2.4-6")]
    [InlineData(100_000, 1024)]
    [InlineData(5000, 16)]
    [InlineData(2048, null)]
    [InlineData(100, null)]
    [InlineData(0, 64)]
    public async Task A_stream_that_cannot_seek_is_read_once_as_its_blocks_are_asked_for(int length, int? size)
    {
        Server.MapGet("/x", () => Answer(length));
        await StartAsync();

        Assert.Equal(PatternStream.Bytes(0, length), Download("x", size));

        Assert.True(Assert.Single(_streams).IsDisposed);
        Assert.Equal(0, Memory.Responses.Used);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_stream_is_read_no_further_than_requested_and_only_its_window_counts_as_memory()
    {
        Server.MapGet("/x", () => Answer(1 << 30));
        await StartAsync();

        for (int number = 0; number < 300; number++)
        {
            CoapMessage answer = Get("x", new BlockValue(number, false, 6));
            Assert.Equal(PatternStream.Bytes(number * 1024, 1024), answer.Payload.ToArray());
            Assert.Null(answer.Options.Size2);
        }

        Assert.InRange(Assert.Single(_streams).Given, 300 * 1024, 320 * 1024);
        Assert.InRange(Memory.Responses.Used, 64 * 1024, 65 * 1024);
        AssertAllFreed();
        Assert.True(_streams[0].IsDisposed);
    }

    [Fact]
    public async Task A_block_still_in_the_window_is_sent_again_and_an_earlier_block_runs_the_handler_again()
    {
        Server.MapGet("/x", () => Answer(1_000_000));
        await StartAsync();
        Get("x", new BlockValue(0, false, 6));
        for (int number = 1; number < 40; number++)
        {
            Get("x", new BlockValue(number, false, 6));
        }

        Assert.Equal(PatternStream.Bytes(35 * 1024, 1024), Get("x", new BlockValue(35, false, 6)).Payload.ToArray());
        Assert.Single(_streams);
        Assert.Equal(PatternStream.Bytes(3 * 1024, 1024), Get("x", new BlockValue(3, false, 6)).Payload.ToArray());
        Assert.Equal(2, _streams.Count);
        Assert.True(_streams[0].IsDisposed);
        Assert.Equal(PatternStream.Bytes(4 * 1024, 1024), Get("x", new BlockValue(4, false, 6)).Payload.ToArray());
        Assert.Equal(PatternStream.Bytes(900 * 1024, 1024), Get("x", new BlockValue(900, false, 6)).Payload.ToArray());
        Assert.Equal(3, _streams.Count);
        Get("x", new BlockValue(977, false, 6)).Gives(CoapCode.BadRequest);
        AssertAllFreed();
        Assert.All(_streams, stream => Assert.True(stream.IsDisposed));
    }

    [Fact]
    public async Task A_stream_that_starts_at_the_requested_block_is_not_read_from_its_beginning()
    {
        Server.MapGet("/x", request =>
        {
            long start = request.Options.Block2?.ByteOffset ?? 0;
            PatternStream stream = new(100_000 - start, canSeek: false) { Skipped = start };
            _streams.Add(stream);
            return CoapResults.Sequential(stream, CoapETag.FromVersion(7), start: start, size: 100_000);
        });
        await StartAsync();

        CoapMessage answer = Get("x", new BlockValue(50, false, 6), options => options.Size2 = 0);

        Assert.Equal(PatternStream.Bytes(50 * 1024, 1024), answer.Payload.ToArray());
        Assert.Equal((new BlockValue(50, true, 6), 100_000u), (answer.Options.Block2, answer.Options.Size2));
        Assert.InRange(_streams[0].Given, 1024, 8192);
        Assert.Equal(PatternStream.Bytes(97 * 1024, 672), Get("x", new BlockValue(97, false, 6)).Payload.ToArray());
        AssertAllFreed();
    }

    [Fact]
    public async Task A_stream_that_fails_chooses_the_error_response_and_the_next_request_runs_the_handler_again()
    {
        Server.MapGet("/x", () =>
        {
            PatternStream stream = new(1_000_000, canSeek: false)
            {
                MaxRead = 700,
                FailsAt = _streams.Count == 0 ? 5000 : long.MaxValue,
                Failure = new CoapContentException(CoapResults.Status(CoapCode.BadGateway, "Gone."), "It is gone."),
            };
            _streams.Add(stream);
            return CoapResults.Sequential(stream, CoapETag.FromVersion(7));
        });
        await StartAsync();
        Get("x", new BlockValue(0, false, 6));
        Get("x", new BlockValue(1, false, 6));

        CoapMessage broken = default!;
        for (int number = 2; number < 6; number++)
        {
            broken = Get("x", new BlockValue(number, false, 6));
        }

        Assert.Equal((CoapCode.BadGateway, "Gone."), (broken.Code, Encoding.UTF8.GetString(broken.Payload.Span)));
        Assert.Equal(0, Server.Counters[CoapCounter.HandlerErrors]);
        Assert.True(_streams[0].IsDisposed);
        Assert.Equal(PatternStream.Bytes(5 * 1024, 1024), Get("x", new BlockValue(5, false, 6)).Payload.ToArray());
        AssertAllFreed();
    }

    [Fact]
    public async Task A_handler_chooses_the_answer_by_an_exception_with_an_error_result()
    {
        CoapResult chosen = CoapResults.ServiceUnavailable(FromSeconds(7));
        Server.MapGet("/x", CoapResult () => throw new CoapContentException(chosen, "It is gone."));
        Server.MapPost("/x", CoapResult () => throw new CoapContentException(chosen, "It is gone."));
        await StartAsync();
        foreach (CoapMethod method in (CoapMethod[])[CoapMethod.Get, CoapMethod.Post])
        {
            CoapMessage answer = Send(Message(method, "x"));
            Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(7)), (answer.Code, answer.Options.MaxAge));
        }

        Assert.Equal(0, Server.Counters[CoapCounter.HandlerErrors]);
        Assert.Throws<ArgumentException>("result", () => new CoapContentException(CoapResults.Changed(), "It is gone."));
    }

    [Fact]
    public async Task The_answer_to_a_POST_is_read_as_a_whole()
    {
        Options.Limits.Blockwise.ResponseMemory = 100_000;
        int length = 3000;
        Server.MapPost("/x", () => Answer(length));
        await StartAsync();

        CoapMessage answer = Send(Message(CoapMethod.Post, "x"));
        Assert.Equal((new BlockValue(0, true, 6), 3000u), (answer.Options.Block2, answer.Options.Size2));
        answer = Send(Message(CoapMethod.Post, "x", options => options.Block2 = new BlockValue(2, false, 6)));
        Assert.Equal(PatternStream.Bytes(2048, 952), answer.Payload.ToArray());
        Assert.True(Assert.Single(_streams).IsDisposed);
        length = 100_001;
        Send(Message(CoapMethod.Post, "x")).Gives(CoapCode.InternalServerError);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_ETag_that_the_client_has_gets_2_03_and_the_stream_is_not_read()
    {
        Server.MapGet("/x", () => Answer(100_000));
        await StartAsync();

        Get("x", options: options => options.Add(new ETagOption([7]))).Gives(CoapCode.Valid);

        Assert.Equal((0, true), (Assert.Single(_streams).Given, _streams[0].IsDisposed));
    }

    private CoapResult Answer(long length)
    {
        PatternStream stream = new(length, canSeek: false) { MaxRead = 700 };
        _streams.Add(stream);
        return CoapResults.Sequential(stream, CoapETag.FromVersion(7), CoapContentFormat.Cbor);
    }
}
