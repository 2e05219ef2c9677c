using System.IO.Pipelines;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Routes whose handler reads a body while its blocks come.</summary>
public sealed class StreamingTests : BlockwiseTest
{
    private readonly List<byte> _read = [];
    private readonly List<string> _ends = [];

    [Fact]
    [Rfc("7959-2.9.1-1")]
    public async Task A_streamed_body_is_read_block_by_block_and_answered_after_the_last_block()
    {
        Server.MapPut("/log", ReadAllAsync).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(1000);
        for (int offset = 0; offset < 1000; offset += 128)
        {
            CoapMessage answer = Block(CoapMethod.Put, "log", body, offset, 128,
                options => options.ContentFormat = CoapContentFormat.OctetStream);
            Assert.Equal(body[..Math.Min(1000, offset + 128)], _read);
            Assert.Equal(offset < 896 ? CoapCode.Continue : CoapCode.Changed, answer.Code);
            Assert.Equal(BlockValue.FromOffset(offset, offset < 896, 3), answer.Options.Block1);
        }

        Assert.Equal(["1000"], _ends);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_size_limit_for_streamed_bodies_without_methods_applies_to_those_of_the_route()
    {
        Server.MapPut("/log", ReadAllAsync).WithStreamedBody(200);
        Server.Map("/any", [CoapMethod.Put, CoapMethod.Post], ReadAllAsync).WithStreamedBody(200);
        await StartAsync();
        byte[] body = Body(1000);

        foreach ((CoapMethod method, string path) in ((CoapMethod, string)[])
            [(CoapMethod.Put, "log"), (CoapMethod.Put, "any"), (CoapMethod.Post, "any")])
        {
            _read.Clear();
            Block(method, path, body[..200], 0, 128).Gives(CoapCode.Continue);
            Assert.Equal(body[..128], _read);
            Block(method, path, body[..200], 128, 128).Gives(CoapCode.Changed);
            Assert.Equal(body[..200], _read);
            Block(method, path, body, 0, 128, options => options.Size1 = 1000).Gives(CoapCode.RequestEntityTooLarge);
        }

        AssertAllFreed();
    }

    [Fact]
    public async Task A_copy_of_the_last_block_is_answered_again_and_not_read_twice()
    {
        Server.MapPut("/log", ReadAllAsync).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(200);
        for (int i = 0; i < 3; i++)
        {
            Block(CoapMethod.Put, "log", body, 0, 64).Gives(CoapCode.Continue);
        }

        Block(CoapMethod.Put, "log", body, 64, 64).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "log", body, 64, 64).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "log", body, 192, 64).Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "log", body, 128, 64, options => options.ContentFormat = CoapContentFormat.Json)
            .Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "log", body, 128, 64).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "log", body, 192, 64).Gives(CoapCode.Changed);
        Assert.Equal(body, _read);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_handler_that_does_not_read_holds_its_peer_back()
    {
        PipeReader? reader = null;
        TaskCompletionSource<CoapResult> result = new();
        Server.MapPut("/log", (CoapRequestContext request) =>
        {
            reader = request.BodyReader;
            return result.Task;
        }).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(20_000);
        int offset = 0;
        CoapMessage NextBlock() => Message(
            CoapMethod.Put, "log", options => options.Block1 = BlockValue.FromOffset(offset, true, 6), body[offset..(offset + 1024)]);
        for (; offset < 8 * 1024; offset += 1024)
        {
            Send(NextBlock()).Gives(CoapCode.Continue);
        }

        // The ninth is not answered but acknowledged; a copy in a message of its own takes its place.
        Assert.Null(TrySend(NextBlock()));
        Clock.Advance(FromSeconds(1));
        Assert.Single(Transport.TakeSent()).Begins("6000");
        Assert.NotNull(reader);
        CoapMessage again = NextBlock();
        Assert.True(TrySend(again) is null or { IsEmpty: true });
        Assert.True(reader.TryRead(out ReadResult read));
        Assert.Equal(9 * 1024, read.Buffer.Length);
        reader.AdvanceTo(read.Buffer.End);
        CoapMessage answer = s_serializer.Deserialize(Wire.Hex(Assert.Single(Transport.TakeSent())));
        Assert.Equal((CoapCode.Continue, BlockValue.FromOffset(offset, true, 6), again.MessageId),
            (answer.Code, answer.Options.Block1, answer.MessageId));

        // It answers before the last block came: the rest is taken and let go.
        result.SetResult(CoapResults.Changed());
        for (offset += 1024; offset + 1024 < body.Length; offset += 1024)
        {
            Send(NextBlock()).Gives(CoapCode.Continue);
        }

        Block(CoapMethod.Put, "log", body, offset, 1024).Gives(CoapCode.Changed);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_error_of_the_handler_goes_out_with_the_next_block()
    {
        Server.MapPut("/log", async (CoapRequestContext request) =>
        {
            await ReadSomeAsync(request.BodyReader);
            return CoapResults.Forbidden();
        }).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(200);
        CoapMessage answer = Block(CoapMethod.Put, "log", body, 0, 64);
        Assert.Equal((CoapCode.Forbidden, "02"), (answer.Code, answer.Options.Block1!.Value.Hex()));
        Block(CoapMethod.Put, "log", body, 64, 64).Gives(CoapCode.RequestEntityIncomplete);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.5-3", "7959-2.5-8")]
    public async Task The_reader_of_an_abandoned_body_gets_an_exception()
    {
        Options.Limits.Blockwise.MaxRequestBodySize = 300;
        Server.MapPut("/log", ReadAllAsync).WithStreamedBody();
        await StartAsync();
        Block(CoapMethod.Put, "log", Body(200, 1), 0, 64);
        Block(CoapMethod.Put, "log", Body(200, 1), 64, 64);

        // Begun anew; then too large; then the peer is silent.
        Block(CoapMethod.Put, "log", Body(200, 2), 0, 64).Gives(CoapCode.Continue);
        Assert.Equal("BodyIncomplete 128", Assert.Single(_ends));
        CoapMessage answer = Block(CoapMethod.Put, "log", Body(400, 2), 320, 64);
        Assert.Equal((CoapCode.RequestEntityTooLarge, 300u), (answer.Code, answer.Options.Size1));
        Assert.Equal(["BodyIncomplete 128", "BodyIncomplete 64"], _ends);
        Block(CoapMethod.Put, "log", Body(200, 3), 0, 64);
        Clock.Advance(CoapTransmissionParameters.Default.ExchangeLifetime + FromSeconds(1));
        Assert.Equal(["BodyIncomplete 128", "BodyIncomplete 64", "BodyIncomplete 64"], _ends);
        Assert.Equal(0, Server.Counters[CoapCounter.HandlerErrors]);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_stopping_server_completes_active_uploads_within_the_grace_period_and_ends_the_others()
    {
        Server.MapPut("/log/{id}", ReadAllAsync).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(150);
        Block(CoapMethod.Put, "log/1", body, 0, 64);
        Block(CoapMethod.Put, "log/2", body, 0, 64);
        Task stop = Server.StopAsync();
        Block(CoapMethod.Put, "log/3", body, 0, 64).Gives(CoapCode.ServiceUnavailable);
        Block(CoapMethod.Put, "log/1", body, 64, 64).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "log/1", body, 128, 64).Gives(CoapCode.Changed);
        Assert.Equal(["150"], _ends);
        Clock.Advance(Options.Processes.StopGracePeriod + FromSeconds(1));
        await Within(stop);
        Assert.Equal(["150", "BodyIncomplete 64"], _ends);
        Assert.Equal((0, 0L), (Bodies.Count, Memory.Requests.Used));
    }

    [Fact]
    public async Task A_body_in_a_single_message_can_be_read_as_a_stream()
    {
        Server.MapPut("/log", ReadAllAsync).WithStreamedBody();
        Server.MapPut("/plain", ReadAllAsync);
        await StartAsync();
        Send(Message(CoapMethod.Put, "log", payload: Body(10))).Gives(CoapCode.Changed);
        Block(CoapMethod.Put, "log", Body(20), 0, 64).Gives(CoapCode.Changed);
        Upload(CoapMethod.Put, "plain", Body(300), 64).Gives(CoapCode.Changed);
        Assert.Equal(["10", "20", "300"], _ends);
        Assert.Equal([.. Body(10), .. Body(20), .. Body(300)], _read);
    }

    [Fact]
    public async Task A_handler_that_ends_its_reader_with_an_exception_answers_5_00()
    {
        Server.MapPut("/log", async (CoapRequestContext request) =>
        {
            await ReadSomeAsync(request.BodyReader);
            InvalidOperationException exception = new("mine");
            await request.BodyReader.CompleteAsync(exception);
            throw exception;
        }).WithStreamedBody();
        await StartAsync();
        Block(CoapMethod.Put, "log", Body(200), 0, 64).Gives(CoapCode.InternalServerError);
        AssertAllFreed();
    }

    private static async Task ReadSomeAsync(PipeReader reader)
    {
        ReadResult read = await reader.ReadAsync().ConfigureAwait(false);
        reader.AdvanceTo(read.Buffer.End);
    }

    private async Task<CoapResult> ReadAllAsync(CoapRequestContext request)
    {
        int count = 0;
        try
        {
            while (true)
            {
                ReadResult read = await request.BodyReader.ReadAsync().ConfigureAwait(false);
                foreach (ReadOnlyMemory<byte> part in read.Buffer)
                {
                    _read.AddRange(part.Span);
                    count += part.Length;
                }

                request.BodyReader.AdvanceTo(read.Buffer.End);
                if (read.IsCompleted)
                {
                    _ends.Add($"{count}");
                    return CoapResults.Changed();
                }
            }
        }
        catch (Exception exception)
        {
            _ends.Add($"{(exception as CoapException)?.Error} {count}");
            throw;
        }
    }
}
