using System.IO.Pipelines;
using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Proxy.Tests;

/// <summary>Large bodies of requests pass the proxy block by block.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class StreamedUploadTests
{
    private const int Length = 200_000;

    private readonly List<byte> _taken = [];
    private Exception? _failure;

    [Theory]
    [InlineData("coap", "coap")]
    [InlineData("coap", "coap+tcp")]
    [InlineData("coap+tcp", "coap")]
    [InlineData("coap+tcp", "coap+tcp")]
    [Rfc("7252-5.7.1-7")]
    public async Task A_large_upload_is_streamed_while_the_proxy_holds_only_a_window_of_it(string downstream, string upstream)
    {
        await using ProxyWorld world = await StartAsync(downstream, upstream);
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();
        CoapClient client = ClientOf(world, downstream);
        long held = 0;
        int behind = 0;
        WatchedStream body = new(Length, given =>
        {
            held = Math.Max(held, world.ProxyServer.BodyBytes);
            behind = Math.Max(behind, (int)given - _taken.Count);
        });

        CoapResponse response = await world.RunAsync(() => client.SendAsync(Put(body, downstream, upstream)));

        response.Gives(CoapCode.Changed);
        Assert.Equal(PatternStream.Bytes(0, Length), _taken.ToArray());
        Assert.Equal((1, 0), (world.Proxy.GetCounters().StreamedUploads, world.Proxy.GetCounters().InProgress));
        Assert.InRange(behind, 1, 48 * 1024);

        // Beside the cost of an open stream.
        Assert.InRange(held - (64 * 1024), 1, 24 * 1024);
        Assert.Equal(0, world.ProxyServer.BodyBytes);
    }

    [Theory]
    [InlineData(10_000, 0)]
    [InlineData(65_536, 0)]
    [InlineData(65_537, 1)]
    public async Task Only_a_body_within_the_holding_limit_is_forwarded_as_a_whole(int length, int streamed)
    {
        await using ProxyWorld world = await StartAsync(configure: options => options.Limits.StreamsAbove = 64 * 1024);
        world.Origin.MapPost("/x", TakeAsync).WithStreamedBody();
        CoapRequest request = Put(new PatternStream(length, canSeek: false), method: CoapMethod.Post);

        CoapResponse response = await world.SendAsync(request);

        Assert.True(response.IsSuccess);
        Assert.Equal(PatternStream.Bytes(0, length), _taken.ToArray());
        Assert.Equal(streamed, world.Proxy.GetCounters().StreamedUploads);
    }

    [Fact]
    public async Task A_slow_server_slows_down_the_upload_of_the_client()
    {
        await using ProxyWorld world = await StartAsync();
        TaskCompletionSource go = new();
        world.Origin.MapPut("/x", async (request, cancellationToken) =>
        {
            await ReadAsync(request.BodyReader, 20_000, cancellationToken);
            await go.Task;
            return await TakeAsync(request, cancellationToken);
        }).WithStreamedBody();
        PatternStream body = new(Length, canSeek: false);
        Task<CoapResponse> sending = world.Client.SendAsync(Put(body));
        await world.Clock.AdvanceUntilAsync(() => _taken.Count >= 20_000, FromMinutes(1));
        await AdvanceAsync(world, FromSeconds(40));

        Assert.InRange(body.Given, 20_000, 70_000);
        go.SetResult();
        CoapResponse response = await world.RunAsync(() => sending);

        response.Gives(CoapCode.Changed);
        Assert.Equal(PatternStream.Bytes(0, Length), _taken.ToArray());
    }

    [Theory]
    [InlineData(4, 13)]
    [InlineData(4, 3)]
    [InlineData(5, 3)]
    public async Task An_error_of_the_server_during_an_upload_ends_the_upload_with_that_error(int codeClass, int detail)
    {
        CoapCode code = new(codeClass, detail);
        await using ProxyWorld world = await StartAsync();
        world.Origin.MapPut("/x", async (request, cancellationToken) =>
        {
            await ReadAsync(request.BodyReader, 30_000, cancellationToken);
            return CoapResults.Status(code, "Enough.");
        }).WithStreamedBody();
        PatternStream body = new(Length, canSeek: false);

        CoapResponse response = await world.SendAsync(Put(body));

        Assert.Equal(code, response.Code);
        Assert.InRange(body.Given, 30_000, 90_000);
        Assert.Equal((1, 0), (world.Proxy.GetCounters().StreamedUploads, world.Proxy.GetCounters().InProgress));
    }

    [Fact]
    public async Task Closing_the_connection_of_the_client_ends_the_upload_to_the_server()
    {
        await using ProxyWorld world = await StartAsync("coap+tcp", "coap+tcp");
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();
        CoapClient client = ClientOf(world, "coap+tcp");
        StallingStream body = new(30_000);
        using CancellationTokenSource leaving = new();
        Task<CoapResponse> sending = client.SendAsync(Put(body, "coap+tcp", "coap+tcp"), leaving.Token);
        await world.Clock.AdvanceUntilAsync(
            () => body.IsStalled && world.Proxy.GetCounters().StreamedUploads == 1, FromMinutes(1));

        await client.DisposeAsync();
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == 0, FromSeconds(10));

        Assert.Equal(1, world.Proxy.GetCounters().UploadsAbandoned);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => sending);
    }

    [Fact]
    public async Task An_upload_whose_client_stops_ends_on_both_sides()
    {
        await using ProxyWorld world = await StartAsync();
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();
        StallingStream body = new(30_000);
        using CancellationTokenSource leaving = new();
        Task<CoapResponse> sending = world.Client.SendAsync(Put(body), leaving.Token);
        await world.Clock.AdvanceUntilAsync(
            () => body.IsStalled && world.Proxy.GetCounters().StreamedUploads == 1, FromMinutes(1));

        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == 0, FromSeconds(70));
        Assert.Equal(1, world.Proxy.GetCounters().UploadsAbandoned);
        await world.Clock.AdvanceUntilAsync(() => _failure is not null, FromMinutes(6));

        Failure.Is(CoapError.BodyIncomplete, _failure);
        await leaving.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending);
    }

    [Fact]
    [Rfc("7252-5.7.1-1")]
    public async Task A_server_that_stops_reading_an_upload_causes_5_04()
    {
        await using ProxyWorld world = await StartAsync();
        world.Origin.MapPut("/x", async (request, cancellationToken) =>
        {
            await ReadAsync(request.BodyReader, 20_000, cancellationToken);
            await Task.Delay(Timeout.InfiniteTimeSpan, world.Clock, cancellationToken);
            return CoapResults.Changed();
        }).WithStreamedBody();

        CoapResponse response = await world.SendAsync(Put(new PatternStream(Length, canSeek: false)));

        response.Gives(CoapCode.GatewayTimeout);
        Assert.Equal((1, 0), (world.Proxy.GetCounters().Timeouts, world.Proxy.GetCounters().InProgress));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_body_that_exceeds_the_streaming_limit_is_refused_as_soon_as_its_size_is_known(bool isAnnounced)
    {
        await using ProxyWorld world = await StartAsync(configure: options => options.Limits.MaxStreamedBodySize = 100_000);
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();
        PatternStream body = new(Length, canSeek: isAnnounced);

        CoapResponse response = await world.SendAsync(Put(body));

        response.Gives(CoapCode.RequestEntityTooLarge);
        Assert.Equal(100_000u, response.Options.Size1);
        Assert.InRange(body.Given, 0, isAnnounced ? 10_000 : 110_000);
        await world.Clock.AdvanceUntilAsync(() => world.Proxy.GetCounters().InProgress == 0, FromMinutes(2));
    }

    [Fact]
    public async Task A_body_larger_than_the_holding_limit_is_streamed()
    {
        await using ProxyWorld world = await StartAsync(configure: options => options.Limits.MaxBodySize = 50_000);
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();

        CoapResponse response = await world.SendAsync(Put(new PatternStream(Length, canSeek: false)));

        response.Gives(CoapCode.Changed);
        Assert.Equal(Length, _taken.Count);
    }

    [Fact]
    public async Task An_upstream_without_streaming_gets_whole_bodies_up_to_the_holding_limit()
    {
        BlockingUpstreamClient upstream = new();
        await using ProxyWorld world = await StartAsync(configure: options => options.Limits.MaxBodySize = 100_000);
        world.Proxy.Use(upstream);
        world.ProxyServer.MapReverseProxy("/held", "held://x/", upstream, world.Proxy);
        CoapRequest Request(int length) =>
            new(CoapMethod.Put, $"{ProxyWorld.ProxyUri}/held") { Content = CoapContent.Stream(new PatternStream(length, canSeek: false)) };

        await world.SendAsync(Request(90_000)).Gives(CoapCode.Changed);
        CoapResponse refused = await world.SendAsync(Request(110_000));

        Assert.Equal(PatternStream.Bytes(0, 90_000), Assert.Single(upstream.Bodies));
        Assert.Equal((CoapCode.RequestEntityTooLarge, 100_000u), (refused.Code, refused.Options.Size1));
        Assert.Equal(0, world.Proxy.GetCounters().StreamedUploads);
    }

    [Fact]
    public async Task A_4_08_of_the_server_makes_the_client_start_the_upload_again()
    {
        await using ProxyWorld world = await StartAsync();
        int refusals = 0;
        world.Origin.MapPut("/x", (request, _) =>
        {
            bool isTwentieth = request.Block1 is { Number: 20 };
            return ValueTask.FromResult(isTwentieth && refusals++ == 0
                ? CoapResults.Status(CoapCode.RequestEntityIncomplete) : CoapResults.Changed());
        }).WithBodyInBlocks().WithMaxBodySize(1 << 20);

        CoapResponse response = await world.SendAsync(Put(new PatternStream(Length)));

        response.Gives(CoapCode.Changed);
        Assert.Equal(2, refusals);
        Assert.Equal(2, world.Proxy.GetCounters().StreamedUploads);
    }

    [Fact]
    [Rfc("9175-2.3-6")]
    public async Task The_next_proxy_may_verify_the_address_of_the_proxy_and_a_large_body_passes_both()
    {
        await using ProxyWorld world = await StartAsync(
            configure: options => options.NextProxy = CoapUri.Parse("coap://[2001:db8:3::1]/"));
        CoapProxyOptions last = new();
        last.Targets.AllowNetwork("2001:db8:1::/48");
        CoapServer second = world.MakeServer("[2001:db8:3::1]:5683");
        CoapProxy secondProxy = world.MakeProxy(last, "[2001:db8:3::1]");
        second.MapForwardProxy(secondProxy);
        await second.StartAsync();
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();

        // The proxy knows of this request by its Echo that it was made just now.
        CoapClient client = world.MakeClient("[2001:db8:9::1]");
        CoapResponse response = await world.RunAsync(() => client.SendAsync(Put(new PatternStream(Length, canSeek: false))));

        response.Gives(CoapCode.Changed);
        Assert.Equal(PatternStream.Bytes(0, Length), _taken.ToArray());
        Assert.Equal(1, secondProxy.GetCounters().Challenges);
        Assert.Equal((1, 1), (world.Proxy.GetCounters().StreamedUploads, secondProxy.GetCounters().StreamedUploads));
    }

    [Fact]
    public async Task The_options_of_a_request_are_forwarded_with_a_streamed_body_and_no_option_is_added()
    {
        await using ProxyWorld world = await StartAsync();
        CoapRequestContext? asked = null;
        world.Origin.MapPut("/x", (request, cancellationToken) =>
        {
            asked = request;
            return TakeAsync(request, cancellationToken);
        }).WithStreamedBody();
        CoapRequest request = Put(new PatternStream(Length));
        request.Options.Remove(OptionNumber.ContentFormat);
        request.Options.Add(OptionNumber.IfMatch, [1, 2]);

        await world.SendAsync(request);

        Assert.Null(asked!.ContentFormat);
        Assert.Equal([1, 2], Assert.Single(asked.Options.IfMatch).ToArray());
        Assert.Equal((uint)Length, asked.Options.Size1);
    }

    [Fact]
    public async Task A_large_FETCH_request_is_held_as_a_whole_and_answered()
    {
        await using ProxyWorld world = await StartAsync(configure: options => options.Limits.MaxBodySize = 100_000);
        world.Origin.MapFetch("/x", request => CoapResults.Text($"{request.Payload.Length}")).WithMaxBodySize(1 << 20);
        CoapRequest request = Put(new PatternStream(90_000), method: CoapMethod.Fetch);

        await world.SendAsync(request).Says("90000");
        Assert.Equal(0, world.Proxy.GetCounters().StreamedUploads);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(16)]
    public async Task Uploads_that_stop_or_are_very_slow_are_evicted_when_other_clients_need_their_capacity(int bytesASecond)
    {
        await using ProxyWorld world = await StartAsync(configure: options =>
        {
            options.Limits.MaxRequests = 12;
            options.Limits.MaxRequestsPerSource = 8;
        });
        world.Origin.MapPut("/x", TakeAsync).WithStreamedBody();
        world.Origin.MapGet("/here", () => CoapResults.Text("here"));
        List<Task<CoapResponse>> uploads = [];
        List<StallingStream> bodies = [];
        using CancellationTokenSource leaving = new();
        for (int source = 0; source < 12; source++)
        {
            CoapClient attacker = world.MakeClient($"[2001:db8:{0x70 + source:x}::1]", options =>
                options.Parameters = CoapTransmissionParameters.Default with { NStart = 10 });
            for (int i = 0; i < 8; i++)
            {
                StallingStream body = new(20_000, bytesASecond, world.Clock);
                bodies.Add(body);
                CoapRequest request = Put(body);
                request.Options.Add(OptionNumber.RequestTag, [(byte)i]);
                request.BlockSize = 64;
                uploads.Add(attacker.SendAsync(request, leaving.Token));
            }
        }

        await AdvanceAsync(world, FromSeconds(30));
        Assert.InRange(world.Proxy.GetCounters().InProgress, 11, 12);
        CoapClient honest = world.MakeClient("[2001:db8:99::1]");
        for (int i = 0; i < 3; i++)
        {
            CoapResponse response = await world.RunAsync(
                () => honest.SendAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/here")), FromSeconds(30));
            Assert.Equal("here", response.EnsureSuccess().GetText());
        }

        Assert.True(world.Proxy.GetCounters().UploadsEvicted > 0);
        Assert.InRange(world.ProxyServer.BodyBytes, 1, 96 * 32 * 1024);
        await leaving.CancelAsync();
        foreach (Task<CoapResponse> upload in uploads)
        {
            await Task.WhenAny(upload);
        }
    }

    private static CoapRequest Put(
        Stream body, string downstream = "coap", string upstream = "coap", CoapMethod method = CoapMethod.Put)
    {
        CoapRequest request = new(method, $"{downstream}://[2001:db8::1]") { Content = CoapContent.Stream(body), BlockSize = 1024 };
        request.Options.Add(new ProxyUriOption($"{upstream}://[2001:db8:1::1]/x"));
        return request;
    }

    private static CoapClient ClientOf(ProxyWorld world, string scheme)
    {
        if (scheme == "coap")
        {
            return world.Client;
        }

        CoapClient client = world.MakeClient("[2001:db8:78::1]");
        client.Endpoint.AddTransport(world.Network.CreateTransport(scheme, InMemoryNetwork.Address("[2001:db8:78::1]:40000")));
        return client;
    }

    // Step by step, so that what waits for a thread goes on in between.
    private static async Task AdvanceAsync(ProxyWorld world, TimeSpan time)
    {
        DateTimeOffset end = world.Clock.GetUtcNow() + time;
        await world.Clock.AdvanceUntilAsync(() => world.Clock.GetUtcNow() >= end, time + FromMinutes(1));
    }

    private static async Task<ProxyWorld> StartAsync(
        string downstream = "coap", string upstream = "coap", Action<CoapProxyOptions>? configure = null)
    {
        ProxyWorld world = new(options =>
        {
            options.Limits.StreamsAbove = 4096;
            configure?.Invoke(options);
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        if (upstream != "coap")
        {
            world.Origin.Endpoint.AddTransport(world.Network.CreateTransport(upstream, InMemoryNetwork.Address("[2001:db8:1::1]:5683")));
            world.Proxy.Client.Endpoint.AddTransport(
                world.Network.CreateTransport(upstream, InMemoryNetwork.Address("[2001:db8::1]:40000")));
        }

        if (downstream != "coap")
        {
            world.ProxyServer.Endpoint.AddTransport(
                world.Network.CreateTransport(downstream, InMemoryNetwork.Address("[2001:db8::1]:5683")));
        }

        await world.StartAsync();
        await world.VerifyAsync();
        return world;
    }

    private async ValueTask<CoapResult> TakeAsync(CoapRequestContext request, CancellationToken cancellationToken)
    {
        try
        {
            await ReadAsync(request.BodyReader, int.MaxValue, cancellationToken);
        }
        catch (Exception exception)
        {
            _failure = exception;
            throw;
        }

        return CoapResults.Changed();
    }

    private async Task ReadAsync(PipeReader reader, int atLeast, CancellationToken cancellationToken)
    {
        while (_taken.Count < atLeast)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                _taken.AddRange(segment.Span);
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return;
            }
        }
    }

    /// <summary>Says each time that it is read how far that is.</summary>
    private sealed class WatchedStream(int length, Action<long> onRead) : MemoryStream
    {
        private readonly PatternStream _pattern = new(length, canSeek: false);

        public override bool CanSeek => false;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            onRead(_pattern.Given);
            return await _pattern.ReadAsync(buffer, cancellationToken);
        }
    }

    /// <summary>Gives some bytes, and then hardly any or none for ever.</summary>
    private sealed class StallingStream(int length, int bytesASecond = 0, TimeProvider? clock = null) : MemoryStream
    {
        private int _given;

        public bool IsStalled { get; private set; }

        public override bool CanSeek => false;

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            int read = Math.Min(buffer.Length, length - _given);
            if (read == 0)
            {
                IsStalled = true;
                await Task.Delay(bytesASecond == 0 ? Timeout.InfiniteTimeSpan : FromSeconds(1), clock ?? TimeProvider.System,
                    cancellationToken);
                return Math.Min(bytesASecond, buffer.Length);
            }

            _given += read;
            buffer.Span[..read].Clear();
            return read;
        }
    }

    /// <summary>An upstream of another protocol, which takes bodies as a whole.</summary>
    private sealed class BlockingUpstreamClient : UpstreamClient
    {
        public List<byte[]> Bodies { get; } = [];

        public override IReadOnlyCollection<string> Schemes => ["held"];

        public override Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
        {
            Bodies.Add(request.Payload.ToArray());
            return Task.FromResult(CoapResults.Changed());
        }
    }
}
