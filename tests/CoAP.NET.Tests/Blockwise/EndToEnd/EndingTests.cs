using CoAP.NET.Testing;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>Transfers that end in the middle: whoever ends them, both sides free everything and nothing is carried out twice.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class EndingTests
{
    private static readonly byte[] s_body = TransferNetwork.Body(64 * 8);

    [Theory]
    [InlineData("whole", 1)]
    [InlineData("whole", 4)]
    [InlineData("whole", 8)]
    [InlineData("whole", 10)]
    [InlineData("stream", 1)]
    [InlineData("stream", 4)]
    [InlineData("stream", 8)]
    [InlineData("stream", 10)]
    public async Task A_cancelled_transfer_is_freed_at_once_at_the_client_and_after_a_timeout_at_the_server(string path, int at)
    {
        await using TransferNetwork network = new();
        Map(network, network.Server);
        await network.StartAsync();
        CoapClient client = network.Client();
        TaskCompletionSource reached = StopAt(network, at);
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> task = client.SendAsync(Post(path, CoapContent.Stream(new MemoryStream(s_body))), cancel.Token);
        await reached.Task.WaitAsync(FromMinutes(2));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => TransferNetwork.Within(task));
        await network.AssertIsIdleAsync(client);

        // The next one is not joined with what lies there.
        network.Network.Filter = null;
        byte[] next = TransferNetwork.Body(400, 9);
        Assert.Equal(TransferNetwork.AnswerTo(next),
            (await network.PassAsync(client.SendAsync(Post(path, CoapContent.Binary(next))))).Payload.ToArray());
        await network.AssertAllIsFreeAsync();
        Assert.Equal((1, at > 8 ? 1 : 0), (network.RunsOf(next), network.RunsOf(s_body)));

        // A handler that was reading is told that nothing follows.
        Assert.Equal(path == "stream" && at is > 1 and <= 8 ? 1 : 0, network.RunsOf([.. "gone"u8]));
    }

    [Theory]
    [InlineData("whole", true)]
    [InlineData("whole", false)]
    [InlineData("stream", true)]
    [InlineData("stream", false)]
    [Rfc("7959-2.9.2-1")]
    public async Task A_server_that_restarts_gets_the_body_again_from_a_stream_that_can_seek(string path, bool canSeek)
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        Map(network, network.Server);
        await network.StartAsync();
        CoapClient client = network.Client();
        int count = 0;
        network.Network.Filter = packet =>
        {
            count += packet.Code.IsRequest ? 1 : 0;
            return NetworkVerdict.Pass;
        };
        Task<CoapResponse> task = client.SendAsync(Post(path, CoapContent.Stream(new PatternStream(s_body.Length, canSeek))));
        await network.Clock.AdvanceUntilAsync(() => count == 4, FromMinutes(1));
        await network.RestartAsync(server => Map(network, server));
        byte[] sent = PatternStream.Bytes(0, s_body.Length);
        if (canSeek)
        {
            Assert.Equal(TransferNetwork.AnswerTo(sent), (await network.PassAsync(task)).Payload.ToArray());
        }
        else
        {
            CoapException error = await Failure.OfAsync(CoapError.BodyNotRepeatable, () => network.PassAsync(task));
            error.Mentions("seek");
        }

        Assert.Equal(canSeek ? 1 : 0, network.RunsOf(sent));
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    public async Task A_download_continues_after_a_server_restart_when_the_representation_is_the_same()
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        Map(network, network.Server);
        await network.StartAsync();
        CoapClient client = network.Client();
        int count = 0;
        network.Network.Filter = packet =>
        {
            count += packet.Code.IsRequest ? 1 : 0;
            return NetworkVerdict.Pass;
        };
        Task<CoapResponse> task = client.SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "get") { BlockSize = 64 });
        await network.Clock.AdvanceUntilAsync(() => count == 4, FromMinutes(1));
        await network.RestartAsync(server => Map(network, server));
        Assert.Equal(TransferNetwork.Body(900), (await network.PassAsync(task)).Payload.ToArray());
        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData("whole")]
    [InlineData("stream")]
    public async Task A_stopping_server_answers_or_ends_the_transfers_in_progress_and_keeps_nothing(string path)
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        Map(network, network.Server);
        await network.StartAsync();
        CoapClient client = network.Client();
        int count = 0;
        network.Network.Filter = packet =>
        {
            count += packet.Code.IsRequest ? 1 : 0;
            return NetworkVerdict.Pass;
        };
        Task<CoapResponse> get = client.SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "get") { BlockSize = 64 });
        await network.Clock.AdvanceUntilAsync(() => count == 3, FromMinutes(1));
        Task<CoapResponse> task = client.SendAsync(Post(path, CoapContent.Binary(s_body)));
        await network.Clock.AdvanceUntilAsync(() => count == 9, FromMinutes(1));
        Task stop = network.Server.StopAsync();
        await network.Clock.AdvanceUntilAsync(stop, FromHours(1));
        foreach (Task<CoapResponse> one in new[] { get, task })
        {
            try
            {
                CoapResponse response = await network.PassAsync(one);
                Assert.True(response.Code == CoapCode.ServiceUnavailable || response.IsSuccess, response.ToString());
            }
            catch (CoapException)
            {
                // Nobody answers any more.
            }
        }

        // The timers of a stopped server go with it.
        await network.AssertAllIsFreeAsync(timers: false);
    }

    [Fact]
    public async Task A_handler_that_never_reads_holds_a_single_window_and_its_client_gets_an_error()
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        TaskCompletionSource end = new(RunContinuationsAsynchronously);
        network.Server.MapPost("/never", async (CoapRequestContext _) =>
        {
            await end.Task.ConfigureAwait(false);
            return CoapResults.Changed();
        }).WithStreamedBody();
        await network.StartAsync();
        CoapClient client = network.Client();
        Task<CoapResponse> task = client.SendAsync(Post("never", CoapContent.Binary(TransferNetwork.Body(20_000)), 1024));
        try
        {
            Assert.False((await network.PassAsync(task)).IsSuccess);
        }
        catch (CoapTimeoutException)
        {
            // As good: the window was full for longer than a client waits.
        }

        Assert.Equal(0, network.Server.Endpoint.Pipelines[0].Blockwise.Requests.Count);
        end.SetResult();
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    public async Task A_handler_that_reads_slowly_gets_the_whole_body()
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        network.Server.MapPost("/slow", async (CoapRequestContext request) =>
        {
            MemoryStream body = new();
            using Stream reader = request.BodyReader.AsStream();
            byte[] buffer = new byte[700];
            int read;
            while ((read = await reader.ReadAsync(buffer).ConfigureAwait(false)) > 0)
            {
                body.Write(buffer.AsSpan(0, read));
                using PeriodicTimer timer = new(FromSeconds(5), network.Clock);
                await timer.WaitForNextTickAsync().ConfigureAwait(false);
            }

            network.Note(body.ToArray());
            return new CoapResult(CoapCode.Changed, TransferNetwork.AnswerTo(body.ToArray()));
        }).WithStreamedBody();
        await network.StartAsync();
        byte[] sent = TransferNetwork.Body(20_000);
        CoapResponse response = await network.PassAsync(network.Client().SendAsync(Post("slow", CoapContent.Binary(sent), 1024)));
        Assert.Equal(TransferNetwork.AnswerTo(sent), response.Payload.ToArray());
        Assert.Equal(1, network.RunsOf(sent));
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    public async Task An_exception_of_a_stream_ends_the_transfer_with_the_exception_or_5_00()
    {
        await using TransferNetwork network = new();
        Map(network, network.Server);
        network.Server.MapGet("/broken", () => CoapResults.Stream(new BrokenStream(1000), CoapETag.FromContent("1"u8)));
        network.Server.MapPost("/refused", async (CoapRequestContext request) =>
        {
            await request.BodyReader.ReadAsync().ConfigureAwait(false);
            throw new InvalidOperationException("The handler had enough.");
        }).WithStreamedBody();
        await network.StartAsync();
        CoapClient client = network.Client();
        await Assert.ThrowsAsync<IOException>(
            () => TransferNetwork.Within(client.SendAsync(Post("whole", CoapContent.Stream(new BrokenStream(5000))))));
        await Assert.ThrowsAsync<IOException>(
            () => TransferNetwork.Within(client.SendAsync(Post("stream", CoapContent.Stream(new BrokenStream(5000))))));
        await Assert.ThrowsAsync<IOException>(
            () => TransferNetwork.Within(client.GetAsync(TransferNetwork.Uri + "get?large", new BrokenStream(400))));
        await network.AssertIsIdleAsync(client);
        await TransferNetwork.Within(client.GetAsync(TransferNetwork.Uri + "broken")).Gives(CoapCode.InternalServerError);
        await TransferNetwork.Within(client.SendAsync(Post("refused", CoapContent.Binary(s_body)))).Gives(CoapCode.InternalServerError);
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    [Rfc("7959-2.4-5")]
    public async Task A_representation_that_changes_during_the_download_is_never_mixed()
    {
        // Without room for what is fetched the handler runs for each block.
        await using TransferNetwork network = new(options: options => options.Limits.Blockwise.ResponseMemory = 0);
        int state = 0;
        int reads = 0;
        network.Server.MapGet("/live", () =>
        {
            int now = ++reads % 9 == 0 ? ++state : state;
            byte[] body = TransferNetwork.Body(2000, now);
            return CoapResults.Stream(new MemoryStream(body), CoapETag.FromContent(body));
        });
        await network.StartAsync();
        CoapClient client = network.Client();
        for (int i = 0; i < 12; i++)
        {
            try
            {
                CoapResponse response = await TransferNetwork.Within(
                    client.SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "live") { BlockSize = 256 << (i % 3) }));
                Assert.Contains(Enumerable.Range(0, state + 1),
                    number => TransferNetwork.Body(2000, number).AsSpan().SequenceEqual(response.Payload.Span));
            }
            catch (CoapProtocolException)
            {
                // It changed too often.
            }
        }

        Assert.True(state > 3);
        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("8516-4-2")]
    public async Task A_refusal_in_the_middle_of_an_upload_is_the_response_and_no_request_is_sent_before_Max_Age(bool isTooMany)
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)), options: options =>
        {
            options.Limits.Blockwise.RequestMemory = isTooMany ? 1 << 20 : 4096;
            options.Limits.Blockwise.MaxSourceFraction = 1;
        });
        CoapRouteHandlerBuilder route = network.Server.MapPost("/x", network.Take);
        if (isTooMany)
        {
            route.RequireRateLimiting(_ => FromSeconds(30));
        }

        await network.StartAsync();
        int count = 0;
        network.Network.Filter = packet =>
        {
            count += packet.Code.IsRequest ? 1 : 0;
            return NetworkVerdict.Pass;
        };

        // Somebody else takes the room.
        CoapClient other = network.Client("192.0.2.3:40000");
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        using CancellationTokenSource cancel = new();
        if (!isTooMany)
        {
            network.Network.Filter = packet => packet.Code.IsRequest && ++count == 3 && reached.TrySetResult()
                ? NetworkVerdict.Drop
                : NetworkVerdict.Pass;
            Task<CoapResponse> held = other.SendAsync(Post("x", CoapContent.Binary(TransferNetwork.Body(3000)), 1024), cancel.Token);
            await network.Clock.AdvanceUntilAsync(() => reached.Task.IsCompleted, FromMinutes(1));
            await cancel.CancelAsync();
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => TransferNetwork.Within(held));
        }

        CoapClient client = network.Client();
        byte[] body = TransferNetwork.Body(2560);
        CoapRequest request = Post("x", CoapContent.Binary(body), 64);
        CoapResponse refused = await network.PassAsync(client.SendAsync(request));
        Assert.Equal(isTooMany ? CoapCode.TooManyRequests : CoapCode.ServiceUnavailable, refused.Code);
        Assert.Equal(FromSeconds(isTooMany ? 30 : 5), refused.MaxAge);
        int before = count;
        network.Clock.Advance(FromSeconds(2));
        Assert.Equal(before, count);
        if (isTooMany)
        {
            await Failure.OfAsync(CoapError.RetryLater, () => network.PassAsync(client.SendAsync(request)));
            Assert.Equal(before, count);
        }

        Assert.Equal(0, network.RunsOf(body));
        await network.AssertAllIsFreeAsync();
    }

    private static void Map(TransferNetwork network, CoapServer server)
    {
        server.MapPost("/whole", network.Take);
        server.MapPost("/stream", async (CoapRequestContext request) =>
        {
            try
            {
                return await network.TakeStreamAsync(request).ConfigureAwait(false);
            }
            catch (CoapException exception) when (exception.Error == CoapError.BodyIncomplete)
            {
                network.Note([.. "gone"u8]);
                throw;
            }
        }).WithStreamedBody();
        server.MapGet("/get",
            request => CoapResults.Bytes(
                TransferNetwork.Body(request.Options.Contains(CoAP.NET.OptionNumber.UriQuery) ? 5000 : 900)));
    }

    private static CoapRequest Post(string path, CoapContent content, int size = 64) =>
        new(CoapMethod.Post, TransferNetwork.Uri + path) { Content = content, BlockSize = size };

    private static TaskCompletionSource StopAt(TransferNetwork network, int at)
    {
        TaskCompletionSource reached = new(RunContinuationsAsynchronously);
        int count = 0;
        network.Network.Filter = packet =>
        {
            if (packet.Code.IsRequest && ++count >= at)
            {
                reached.TrySetResult();
                return NetworkVerdict.Drop;
            }

            return NetworkVerdict.Pass;
        };
        return reached;
    }

    /// <summary>Gives and takes some bytes, then throws.</summary>
    private sealed class BrokenStream(long length) : MemoryStream
    {
        private long _left = length / 2;

        public override bool CanSeek => true;

        public override long Length => length;

        public override long Position { get; set; }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = (int)Math.Min(Math.Min(buffer.Length, 300), _left);
            _left -= read;
            return read > 0 ? ValueTask.FromResult(read) : ValueTask.FromException<int>(new IOException("The medium is gone."));
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            (_left -= buffer.Length) >= 0 ? ValueTask.CompletedTask : ValueTask.FromException(new IOException("The medium is full."));
    }
}
