namespace CoAP.NET.Http.Tests;

/// <summary>Large bodies of devices on their way to back ends that take their time, or do not want all of them. In virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SlowBackendTests : IAsyncDisposable
{
    private const int Length = 40_000;
    private const int StreamsAbove = 4096;

    // What the proxy holds, its window, and what is under way on both sides.
    private const int MaxAhead = StreamsAbove + (16 * 1024) + (4 * 1024);

    private readonly VirtualClock _clock = new();
    private readonly CoapServer _server;
    private readonly CoapClient _device;
    private readonly CoapProxy _proxy;
    private readonly Body _body = new(Length);
    private readonly Backend _backend = new();
    private ulong _seed;

    public SlowBackendTests()
    {
        InMemoryNetwork network = new(_clock);
        _server = new CoapServer(Options());
        _server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
        _device = new CoapClient(Options());
        _device.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("[2001:db8::2]:50000")));
        _proxy = new CoapProxy(new CoapProxyOptions
        {
            RequireVerified = false,
            Limits = { StreamsAbove = StreamsAbove },
            ConfigureClient = options => options.TimeProvider = _clock,
        });
        _proxy.UseHttp(http =>
        {
            http.TimeProvider = _clock;
            http.Client = () => new HttpClient(_backend, disposeHandler: false) { Timeout = Timeout.InfiniteTimeSpan };
        });
        _server.MapHttpBackend("/b/{*path}", "http://backend.example/api", _proxy);
    }

    public async ValueTask DisposeAsync()
    {
        await _device.DisposeAsync();
        await _server.DisposeAsync();
        await _proxy.DisposeAsync();
        await _body.DisposeAsync();
        _backend.Dispose();
    }

    [Fact]
    public async Task A_slow_back_end_slows_the_upload_of_the_device_and_gets_the_complete_body()
    {
        int ahead = 0;
        int taken = 0;
        _backend.Answer = async (content, cancellationToken) =>
        {
            await content.CopyToAsync(new Sink(async (bytes, token) =>
            {
                ahead = Math.Max(ahead, (int)_body.Position - taken);
                taken += bytes;
                await Task.Delay(FromSeconds(5 * bytes / 1024.0), _clock, token);
            }), cancellationToken);
            return HttpStatusCode.NoContent;
        };

        CoapResponse response = await PutAsync();

        await IsIdleAsync();
        response.Gives(CoapCode.Changed);
        Assert.Equal(Length, taken);
        Assert.InRange(ahead, 1, MaxAhead);
        Assert.True(_clock.Elapsed > FromSeconds(100), $"It took {_clock.Elapsed}.");
        Assert.Equal((1, 0), (_proxy.GetCounters().StreamedUploads, _proxy.GetCounters().InProgress));
    }

    [Fact]
    public async Task A_back_end_that_stops_reading_is_answered_5_04_and_frees_all_resources()
    {
        int taken = 0;
        _backend.Answer = async (content, cancellationToken) =>
        {
            await content.CopyToAsync(new Sink(async (bytes, token) =>
            {
                taken += bytes;
                await Task.Delay(taken > 10_000 ? Timeout.InfiniteTimeSpan : TimeSpan.Zero, _clock, token);
            }), cancellationToken);
            return HttpStatusCode.NoContent;
        };

        CoapResponse response = await PutAsync();
        await _clock.AdvanceUntilAsync(_backend.Gone.Task, FromMinutes(1));
        await IsIdleAsync();

        response.Gives(CoapCode.GatewayTimeout);
        Assert.InRange(_body.Position, taken, taken + MaxAhead);
        Assert.Equal((1, 0), (_proxy.GetCounters().Timeouts, _proxy.GetCounters().InProgress));
    }

    [Fact]
    public async Task The_early_response_of_a_back_end_is_passed_on_and_the_rest_of_the_body_is_not_sent()
    {
        _backend.Answer = async (content, cancellationToken) =>
        {
            TaskCompletionSource enough = new(RunContinuationsAsynchronously);
            int taken = 0;
            _ = content.CopyToAsync(new Sink(async (bytes, token) =>
            {
                if ((taken += bytes) > 10_000)
                {
                    enough.TrySetResult();
                    await Task.Delay(Timeout.InfiniteTimeSpan, _clock, token);
                }
            }), cancellationToken);
            await enough.Task.WaitAsync(cancellationToken);
            return HttpStatusCode.UnprocessableEntity;
        };

        CoapResponse response = await PutAsync();

        await IsIdleAsync();
        response.Gives(CoapCode.UnprocessableEntity);
        Assert.InRange(_body.Position, 10_000, 10_000 + MaxAhead);
        Assert.Equal(0, _proxy.GetCounters().InProgress);
    }

    // The device may have its answer before the proxy has counted the end of the request.
    private Task IsIdleAsync() => _clock.AdvanceUntilAsync(() => _proxy.GetCounters().InProgress == 0, FromMinutes(1));

    private async Task<CoapResponse> PutAsync()
    {
        await _server.StartAsync();
        return await _clock.AdvanceUntilAsync(
            _device.SendAsync(new CoapRequest(CoapMethod.Put, "coap://[2001:db8::1]/b/firmware")
            {
                Content = CoapContent.Stream(_body, CoapContentFormat.OctetStream),
            }),
            FromHours(1));
    }

    private CoapEndpointOptions Options() => new()
    {
        TimeProvider = _clock,
        Pipeline = { Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(_clock) },
    };

    private sealed class Backend : HttpMessageHandler
    {
        public Func<HttpContent, CancellationToken, Task<HttpStatusCode>> Answer { get; set; } =
            (_, _) => Task.FromResult(HttpStatusCode.NoContent);

        /// <summary>Ends when a request was given up.</summary>
        public TaskCompletionSource Gone { get; } = new(RunContinuationsAsynchronously);

        protected override async Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            try
            {
                return new HttpResponseMessage(await Answer(request.Content!, cancellationToken)) { Content = new ByteArrayContent([]) };
            }
            finally
            {
                // Not by a callback of the token: what awaits it may go on, and take the callback away, before that had its turn.
                if (cancellationToken.IsCancellationRequested)
                {
                    Gone.TrySetResult();
                }
            }
        }
    }

    /// <summary>What the back end reads, in the pieces in which it comes.</summary>
    private sealed class Sink(Func<int, CancellationToken, Task> take) : MemoryStream
    {
        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default) =>
            await take(buffer.Length, cancellationToken);
    }

    /// <summary>A body that cannot be sent again.</summary>
    private sealed class Body(int length) : MemoryStream(new byte[length])
    {
        public override bool CanSeek => false;
    }
}
