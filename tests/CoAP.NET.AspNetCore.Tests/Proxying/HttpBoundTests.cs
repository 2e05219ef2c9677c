using CoAP.NET.AspNetCore.Proxying;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Clients of HTTP that take all they can get: places, time, devices.</summary>
public sealed class HttpBoundTests : IAsyncDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly VirtualClock _clock = new();
    private readonly CoapHttpResourceOptions _options = new() { MaxRequests = 16, MaxRequestsPerSource = 4 };
    private readonly Slow _device = new();
    private readonly CoapServer _server = new();
    private readonly CoapClient _client = new();
    private readonly List<IDisposable> _disposed = [];

    public async ValueTask DisposeAsync()
    {
        _device.Answer();
        foreach (IDisposable one in _disposed)
        {
            one.Dispose();
        }

        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_source_with_many_requests_to_slow_devices_leaves_capacity_for_other_sources()
    {
        ProxiedResourceEndpoint path = Path(_device);
        List<(DefaultHttpContext Context, Task Task)> greedy =
            [.. Enumerable.Range(0, 20).Select(i => Ask(path, "192.0.2.66", $"coap://s.example.com/{i}"))];
        (DefaultHttpContext honest, Task served) = Ask(path, "192.0.2.1", "coap://s.example.com/0");

        Assert.Equal((5, 16), (_options.Counters.InProgress, _options.Counters.Busy));
        Assert.Equal(4, _device.Asked);

        // Where they wait for the device they take turns.
        Assert.All(_device.OnBehalfOf, source => Assert.Equal("192.0.2.66", source?.Address.ToString()), throwIfEmpty: true);
        _device.Answer();
        await served;
        await Task.WhenAll(greedy.Select(one => one.Task));
        Assert.Equal(502, honest.Response.StatusCode);
        Assert.Equal(
            [.. Enumerable.Repeat(502, 4), .. Enumerable.Repeat(503, 16)],
            greedy.Select(one => one.Context.Response.StatusCode));
        Assert.All(greedy.Skip(4), one => Assert.Equal("1", one.Context.Response.Headers.RetryAfter));
        Assert.Equal(0, _options.Counters.InProgress);
    }

    [Fact]
    public async Task Each_of_many_sources_gets_at_most_half_of_the_free_capacity()
    {
        ProxiedResourceEndpoint path = Path(_device);
        List<Task> all = [];
        for (int source = 0; source < 50; source++)
        {
            all.AddRange(Enumerable.Range(0, 4).Select(i => Ask(path, $"192.0.2.{source}", $"coap://s.example.com/{source}/{i}").Task));
        }

        Assert.InRange(_options.Counters.InProgress, 8, 16);
        _device.Answer();
        await Task.WhenAll(all);
    }

    [Fact]
    public async Task An_authenticated_user_has_a_limit_separate_from_that_of_a_shared_address()
    {
        ProxiedResourceEndpoint path = Path(_device);
        List<Task> all = [.. Enumerable.Range(0, 10).Select(i => Ask(path, "192.0.2.66", $"coap://s.example.com/{i}").Task)];
        DefaultHttpContext known = Context("192.0.2.66", "coap://s.example.com/known");
        known.User = new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.NameIdentifier, "ada")], "test"));
        all.Add(path.HandleAsync(known));

        Assert.Equal(5, _options.Counters.InProgress);
        _device.Answer();
        await Task.WhenAll(all);
    }

    [Fact]
    [Rfc("8075-8.1-1")]
    public async Task Equal_requests_are_sent_to_the_device_once()
    {
        ProxiedResourceEndpoint path = Path(_device);
        List<Task> all = [.. Enumerable.Range(1, 4).Select(i => Ask(path, $"192.0.2.{i}", "coap://s.example.com/light").Task)];
        Assert.Equal((4, 1), (_options.Counters.InProgress, _device.Asked));

        _device.Answer();
        await Task.WhenAll(all);
        Assert.Equal(0, _options.Counters.InProgress);
    }

    [Fact]
    public async Task Aborted_requests_count_against_the_limit_while_they_continue_to_fill_the_cache()
    {
        ProxiedResourceEndpoint path = Path(_device, fillsCache: true);
        List<Task> all = [];
        for (int i = 0; i < 20; i++)
        {
            DefaultHttpContext context = Context("192.0.2.66", $"coap://s.example.com/{i}");
            all.Add(path.HandleAsync(context));
            context.Abort();
        }

        Assert.Equal((4, 16, 4), (_options.Counters.InProgress, _options.Counters.Busy, _device.Asked));
        Assert.Equal(0, _device.Cancelled);
        _device.Answer();
        await Task.WhenAll(all);
        Assert.Equal(0, _options.Counters.InProgress);
    }

    [Fact]
    public async Task A_shared_request_without_a_cache_is_cancelled_with_its_last_waiting_client()
    {
        ProxiedResourceEndpoint path = Path(_device);
        (DefaultHttpContext first, Task one) = Ask(path, "192.0.2.1", "coap://s.example.com/light");
        (DefaultHttpContext second, Task two) = Ask(path, "192.0.2.2", "coap://s.example.com/light");
        first.Abort();
        Assert.Equal(0, _device.Cancelled);
        second.Abort();
        await Task.WhenAll(one, two);
        Assert.Equal(1, _device.Cancelled);
    }

    [Fact]
    public async Task A_client_that_reads_no_events_is_disconnected_and_its_observation_ends()
    {
        NeverRead never = new();
        await IsCutOffAsync(never.Begun.Task, context =>
        {
            context.Request.Headers.Accept = "text/event-stream";
            context.Response.Body = never;
        });
    }

    [Fact]
    public async Task A_client_that_reads_no_WebSocket_messages_is_disconnected_and_its_observation_ends()
    {
        NeverReadSocket never = new();
        await IsCutOffAsync(never.Begun.Task, context => context.Features.Set<IHttpWebSocketFeature>(never));
        Assert.Equal((true, false), (never.IsDisposed, never.WasReadWhenDisposed));
    }

    [Fact]
    public async Task Equal_requests_for_a_connected_device_are_sent_once()
    {
        TaskCompletionSource<CoapPeer> connected = new(RunContinuationsAsynchronously);
        _server.Listen("coap+tcp://127.0.0.1:0");
        _server.MapPost("/hello", request =>
        {
            connected.TrySetResult(request.Peer);
            return CoapResults.Changed();
        });
        await _server.StartAsync();
        TaskCompletionSource answer = new(RunContinuationsAsynchronously);
        int asked = 0;
        CoapRoutes routes = new();
        routes.MapGet("/3/0", async (request, cancellationToken) =>
        {
            Interlocked.Increment(ref asked);
            await answer.Task.WaitAsync(cancellationToken);
            return CoapResults.Text("on");
        });
        await using CoapClient client = new(new CoapEndpointOptions { Routes = routes });
        await client.PostAsync(_server.LocalEndpoints[0] + "hello", null);
        CoapPeer peer = await connected.Task.WaitAsync(s_hang);

        DeviceEndpoint path = new(_options, _ => peer, _clock, NullLogger.Instance);
        DefaultHttpContext[] contexts = [.. Enumerable.Range(1, 4).Select(i =>
        {
            DefaultHttpContext context = Context($"192.0.2.{i}", "");
            context.Features.Get<IHttpRequestFeature>()!.RawTarget = "/devices/7/3/0";
            context.SetEndpoint(new RouteEndpoint(
                _ => Task.CompletedTask, RoutePatternFactory.Parse("/devices/{id}/{**path}"), 0, null, null));
            return context;
        })];

        // Each has joined when its call returns: nothing is waited for before.
        List<Task> all = [.. contexts.Select(path.HandleAsync)];
        answer.SetResult();
        await Task.WhenAll(all).WaitAsync(s_hang);

        Assert.Equal(1, asked);
        Assert.Equal(3, _options.Counters.Shared);
        Assert.All(contexts, context =>
            Assert.Equal((200, "on"), (context.Response.StatusCode, Text((MemoryStream)context.Response.Body))));
    }

    [Theory]
    [InlineData(10)]
    [InlineData(1)]
    public async Task A_request_body_that_arrives_too_slowly_is_answered_408(int seconds)
    {
        ProxiedResourceEndpoint path = Path(_device);
        DefaultHttpContext context = Context("192.0.2.66", "coap://s.example.com/light");
        context.Request.Method = "PUT";
        context.Request.ContentLength = 1000;
        context.Request.Body = new Trickle(_clock, seconds: seconds);

        await path.HandleAsync(context).WaitAsync(s_hang);

        Assert.Equal((408, 0, 1), (context.Response.StatusCode, _device.Asked, _options.Counters.Stalled));
    }

    [Fact]
    public async Task A_request_body_that_does_not_arrive_is_answered_408()
    {
        ProxiedResourceEndpoint path = Path(_device);
        DefaultHttpContext context = Context("192.0.2.66", "coap://s.example.com/light");
        context.Request.Method = "POST";
        context.Request.ContentLength = 1000;
        NeverSent never = new();
        context.Request.Body = never;
        Task waiting = path.HandleAsync(context);
        await never.Begun.Task.WaitAsync(s_hang);

        _clock.Advance(FromSeconds(30));
        await waiting.WaitAsync(s_hang);
        Assert.Equal((408, 0, 1), (context.Response.StatusCode, _device.Asked, _options.Counters.Stalled));
    }

    [Fact]
    public async Task A_request_body_that_the_web_server_refuses_is_answered_with_its_status_and_not_forwarded()
    {
        ProxiedResourceEndpoint path = Path(_device);
        DefaultHttpContext context = Context("192.0.2.66", "coap://s.example.com/light");
        context.Request.Method = "POST";
        context.Request.ContentLength = 1000;
        context.Request.Body = new TooLarge();

        await path.HandleAsync(context).WaitAsync(s_hang);

        Assert.Equal((413, 0), (context.Response.StatusCode, _device.Asked));
    }

    [Fact]
    public async Task A_request_body_that_arrives_fast_enough_may_take_any_time()
    {
        DeadlineBody body = new(new Trickle(_clock, size: 4096, count: 100), FromSeconds(30), _clock, _options.Counters);
        byte[] buffer = new byte[4096];
        int total = 0;
        int read;
        while ((read = await body.ReadAsync(buffer)) > 0)
        {
            total += read;
        }

        // 100 x 10 s.
        Assert.Equal((100 * 4096, 0), (total, _options.Counters.Stalled));
    }

    [Fact]
    public void Limits_must_be_at_least_1_and_times_above_zero()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.MaxRequests = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.MaxRequestsPerSource = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => _options.StallTimeout = TimeSpan.Zero);
    }

    private static string Text(MemoryStream body) => Encoding.UTF8.GetString(body.ToArray());

    private static DefaultHttpContext Context(string remote, string target)
    {
        DefaultHttpContext context = new();
        context.Features.Set<IHttpRequestLifetimeFeature>(new Lifetime());
        context.Connection.RemoteIpAddress = IPAddress.Parse(remote);
        context.Request.Method = "GET";
        context.Response.Body = new MemoryStream();
        context.Items["target"] = target;
        return context;
    }

    private static (DefaultHttpContext Context, Task Task) Ask(ProxiedResourceEndpoint path, string remote, string target)
    {
        DefaultHttpContext context = Context(remote, target);
        return (context, path.HandleAsync(context));
    }

    /// <summary>Observes for a client that does not take the first event.</summary>
    /// <param name="begun">Ends when it is being sent.</param>
    /// <param name="prepare">Makes the request one that observes.</param>
    private async Task IsCutOffAsync(Task begun, Action<DefaultHttpContext> prepare)
    {
        TaskCompletionSource went = new(RunContinuationsAsynchronously);
        CoapRouteHandlerBuilder lamp = _server.MapGet("/lamp", () => "on").Observable();
        lamp.ObserverRemoved += (_, _) => went.TrySetResult();
        _server.Listen("coap://127.0.0.1:0");
        await _server.StartAsync();
        ProxiedResourceEndpoint path = Path(_client);
        DefaultHttpContext context = Context("192.0.2.66", _server.LocalEndpoints[0] + "lamp");
        prepare(context);
        Task holding = path.HandleAsync(context);
        await begun.WaitAsync(s_hang);
        Assert.Equal(1, _options.Counters.InProgress);

        _clock.Advance(FromSeconds(30));
        await holding.WaitAsync(s_hang);
        await went.Task.WaitAsync(s_hang);

        Assert.True(context.RequestAborted.IsCancellationRequested);
        Assert.Equal((0, 1), (_options.Counters.InProgress, _options.Counters.Stalled));
    }

    private ProxiedResourceEndpoint Path(ICoapClient client, bool fillsCache = false)
    {
        HttpToCoapResponder exchanges = new(client, _options, fillsCache, _clock, NullLogger.Instance);
        _disposed.Add(exchanges);
        return new ProxiedResourceEndpoint(
            exchanges, new HttpRequestLimiter(_options), context => CoapUri.Parse((string)context.Items["target"]!));
    }

    /// <summary>A device that does not answer, until it is told to say that it cannot.</summary>
    private sealed class Slow : ICoapClient
    {
        private readonly TaskCompletionSource _answer = new();
        private readonly ConcurrentQueue<CoapQuotaSource?> _onBehalfOf = [];
        private int _asked;
        private int _cancelled;

        public IEnumerable<CoapQuotaSource?> OnBehalfOf => _onBehalfOf;

        public int Asked => Volatile.Read(ref _asked);

        public int Cancelled => Volatile.Read(ref _cancelled);

        public void Answer() => _answer.TrySetResult();

        public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref _asked);
            _onBehalfOf.Enqueue(request.OnBehalfOf);
            try
            {
                await _answer.Task.WaitAsync(cancellationToken);
            }
            catch (OperationCanceledException)
            {
                Interlocked.Increment(ref _cancelled);
                throw;
            }

            throw new CoapException("It is slow.");
        }

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();
    }

    private sealed class Lifetime : IHttpRequestLifetimeFeature
    {
        private readonly CancellationTokenSource _aborted = new();

        public Lifetime() => RequestAborted = _aborted.Token;

        public CancellationToken RequestAborted { get; set; }

        public void Abort() => _aborted.Cancel();
    }

    private sealed class NeverRead : MemoryStream
    {
        public TaskCompletionSource Begun { get; } = new(RunContinuationsAsynchronously);

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Begun.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
        }
    }

    private sealed class NeverReadSocket : WebSocket, IHttpWebSocketFeature
    {
        private int _readers;

        public TaskCompletionSource Begun { get; } = new(RunContinuationsAsynchronously);

        public bool IsDisposed { get; private set; }

        public bool WasReadWhenDisposed { get; private set; }

        public bool IsWebSocketRequest => true;

        public override WebSocketCloseStatus? CloseStatus => null;

        public override string? CloseStatusDescription => null;

        public override WebSocketState State => WebSocketState.Open;

        public override string? SubProtocol => null;

        public Task<WebSocket> AcceptAsync(WebSocketAcceptContext context) => Task.FromResult<WebSocket>(this);

        public override async Task SendAsync(
            ArraySegment<byte> buffer, WebSocketMessageType messageType, bool endOfMessage, CancellationToken cancellationToken)
        {
            Begun.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
        }

        public override async Task<WebSocketReceiveResult> ReceiveAsync(ArraySegment<byte> buffer, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _readers);
            try
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
                throw new InvalidOperationException("It says nothing.");
            }
            finally
            {
                Interlocked.Decrement(ref _readers);
            }
        }

        public override Task CloseAsync(WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
            Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);

        public override Task CloseOutputAsync(
            WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
            Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);

        public override void Abort()
        {
        }

        public override void Dispose()
        {
            WasReadWhenDisposed = Volatile.Read(ref _readers) > 0;
            IsDisposed = true;
        }
    }

    private sealed class NeverSent : MemoryStream
    {
        public TaskCompletionSource Begun { get; } = new(RunContinuationsAsynchronously);

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            Begun.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return 0;
        }
    }

    private sealed class TooLarge : MemoryStream
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            throw new BadHttpRequestException("Request body too large.", StatusCodes.Status413PayloadTooLarge);
    }

    /// <summary>A body of which a part comes every ten seconds, or so.</summary>
    private sealed class Trickle(VirtualClock clock, int size = 1, int count = int.MaxValue, int seconds = 10) : MemoryStream
    {
        private int _left = count;

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            clock.Advance(FromSeconds(seconds));
            return cancellationToken.IsCancellationRequested
                ? ValueTask.FromCanceled<int>(cancellationToken)
                : ValueTask.FromResult(_left-- > 0 ? size : 0);
        }
    }
}
