using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Security.Principal;
using CoAP.NET.Hosting.RateLimiting;

namespace CoAP.NET.Hosting.Tests.RateLimiting;

// No limiter here gives new permits by itself, so that no test depends on time.
public sealed class RateLimitTests : ServedTest
{
    [Fact]
    public async Task A_request_that_exceeds_the_limit_is_answered_4_29_with_Max_Age()
    {
        bool runs = false;
        using PartitionedRateLimiter<CoapRequestContext> limiter = PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => Once(0));
        Server.MapGet("/x", () =>
        {
            Assert.False(runs);
            runs = true;
            return "x";
        }).RequireRateLimiting(limiter);
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.Content);
        CoapResponse held = await AskAsync("/x");
        Assert.Equal((CoapCode.TooManyRequests, FromSeconds(90)), (held.Code, held.MaxAge));
    }

    [Theory]
    [InlineData("guarded", 0x81, 0)]
    [InlineData("open", 0x44, 50)]
    public async Task Strangers_do_not_reach_a_limiter_behind_RequireVerifiedAddress(string path, int code, int expected)
    {
        ConcurrentDictionary<CoapQuotaSource, int> partitions = [];

        // The first datagram that comes back is the answer, also on a busy machine.
        Server.Configure((options, _) => options.Endpoint.Parameters = new() { PiggybackWindow = FromMinutes(2) });
        Services.AddCoapRateLimits(options => options.AddLimit("per source", request =>
        {
            partitions.TryAdd(request.Peer.Source, 0);
            return Once(request.Peer.Source);
        }));
        Server.MapGroup("/guarded")
            .RequireAuthorization(policy => policy.RequireVerifiedAddress())
            .RequireRateLimiting("per source")
            .MapPost("/", () => CoapResults.Changed());
        Server.MapPost("/open", () => CoapResults.Changed()).RequireRateLimiting("per source");
        await StartAsync();
        IPEndPoint server = new(IPAddress.Loopback, new Uri(Uri("")).Port);
        byte[] request = [0x40, 0x02, 0x12, 0x34, (byte)(0xb0 | path.Length), .. Encoding.ASCII.GetBytes(path)];

        for (int i = 1; i <= 50; i++)
        {
            // Like a forged address: it does not answer the challenge.
            using UdpClient stranger = new(new IPEndPoint(IPAddress.Parse($"127.0.1.{i}"), 0));
            await stranger.SendAsync(request, server);
            Assert.Equal(code, (await Within(stranger.ReceiveAsync())).Buffer[1]);
        }

        Assert.Equal(expected, partitions.Count);
    }

    [Fact]
    public async Task A_permit_is_released_when_the_request_is_answered()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        using PartitionedRateLimiter<CoapRequestContext> limiter =
            PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => AtATime(0, waiting: 0));
        Server.MapGet("/x", () =>
        {
            entered.TrySetResult();
            return answer.Task;
        }).RequireRateLimiting(limiter, FromSeconds(7));
        await StartAsync();

        Task<CoapResponse> first = AskAsync("/x");
        await Within(entered.Task);
        CoapResponse second = await AskAsync("/x");
        Assert.Equal((CoapCode.TooManyRequests, FromSeconds(7)), (second.Code, second.MaxAge));
        answer.SetResult(CoapResults.Text("x"));
        await first.Gives(CoapCode.Content);
        await AskAsync("/x").Gives(CoapCode.Content);
    }

    [Fact]
    public async Task A_permit_is_released_when_the_handler_throws()
    {
        using PartitionedRateLimiter<CoapRequestContext> limiter =
            PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => AtATime(0, waiting: 0));
        Server.MapGet("/x", _ => throw new FormatException()).RequireRateLimiting(limiter);
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        await AskAsync("/x").Gives(CoapCode.InternalServerError);
    }

    [Fact]
    public async Task Requests_wait_at_a_limiter_with_a_queue()
    {
        TaskCompletionSource<CoapResult> answer = new(RunContinuationsAsynchronously);
        TaskCompletionSource entered = new(RunContinuationsAsynchronously);
        TaskCompletionSource queued = new(RunContinuationsAsynchronously);
        int asked = 0;
        using PartitionedRateLimiter<CoapRequestContext> limiter =
            PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => AtATime(0, waiting: 1));
        Server.MapGet("/x", () =>
        {
            entered.TrySetResult();
            return answer.Task;
        }).AddFilter((request, next, cancellationToken) =>
        {
            ValueTask<CoapResult> rest = next(request, cancellationToken);
            if (Interlocked.Increment(ref asked) == 2)
            {
                queued.SetResult();
            }

            return rest;
        }).RequireRateLimiting(limiter);
        await StartAsync();

        Task<CoapResponse> first = AskAsync("/x");
        await Within(entered.Task);
        Task<CoapResponse> second = AskAsync("/x");
        await Within(queued.Task);
        await AskAsync("/x").Gives(CoapCode.TooManyRequests);
        answer.SetResult(CoapResults.Text("x"));
        await first.Gives(CoapCode.Content);
        await second.Gives(CoapCode.Content);
    }

    [Fact]
    public async Task Each_identity_has_its_own_permits_of_a_limiter_shared_by_routes()
    {
        ICoapPeerIdentity identity = new CoapNamedPeerIdentity("ann");
        Server.Routes.AddFilter((request, next, cancellationToken) =>
        {
            request.Channel!.Identity = Volatile.Read(ref identity);
            return next(request, cancellationToken);
        });
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request => Once(request.Peer.Source)));
        CoapRouteGroup group = Server.MapGroup("/g").RequireRateLimiting("per peer");
        group.MapGet("/x", () => "x");
        group.MapGet("/y", () => "y");
        group.MapGet("/free", () => "free").DisableRateLimiting();
        await StartAsync();

        await AskAsync("/g/x").Gives(CoapCode.Content);
        await AskAsync("/g/y").Gives(CoapCode.TooManyRequests);
        await AskAsync("/g/free").Gives(CoapCode.Content);
        Volatile.Write(ref identity, new CoapNamedPeerIdentity("bob"));
        await AskAsync("/g/y").Gives(CoapCode.Content);
        await AskAsync("/g/x").Gives(CoapCode.TooManyRequests);
    }

    [Fact]
    public async Task An_unverified_address_gets_no_partition_of_a_limiter_that_requires_verification()
    {
        List<object> partitions = [];
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request =>
        {
            partitions.Add(request.Peer.Source);
            return Once(partitions[^1]);
        }));
        Server.MapPost("/x", () => CoapResults.Changed())
            .RequireAuthorization(policy => policy.RequireVerifiedAddress())
            .RequireRateLimiting("per peer");
        await StartAsync();

        CoapRequest stranger = new(CoapMethod.Post, Uri("/x")) { IsForwarded = true };
        await Client().SendAsync(stranger).Gives(CoapCode.Unauthorized);
        Assert.Empty(partitions);
        await AskAsync("/x", CoapMethod.Post).Gives(CoapCode.Changed);
        Assert.Single(partitions);
    }

    [Fact]
    public async Task A_user_has_a_common_limit_for_all_connections_and_an_anonymous_user_that_of_the_address()
    {
        // As each WebSocket has it: a principal of its own.
        Func<ClaimsPrincipal> identity = () => new ClaimsPrincipal(new ClaimsIdentity());
        Server.Routes.AddFilter((request, next, cancellationToken) =>
        {
            request.Channel!.Identity = new CoapUserPeerIdentity(identity());
            return next(request, cancellationToken);
        });
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request => Once(request.Peer.Source)));
        Server.MapGet("/x", () => "x").RequireRateLimiting("per peer");
        await StartAsync();

        foreach (Func<ClaimsPrincipal> peer in new Func<ClaimsPrincipal>[]
        {
            identity,
            () => User("a", new Claim(ClaimTypes.NameIdentifier, "1"), new Claim(ClaimTypes.Name, "ann")),
            () => User("b", new Claim(ClaimTypes.NameIdentifier, "1")),
            () => User("a", new Claim("sub", "2")),
        })
        {
            identity = peer;
            await AskAsync("/x").Gives(CoapCode.Content);
            await AskAsync("/x").Gives(CoapCode.TooManyRequests);
        }

        // Somebody, but nobody can say who: the permit of the address is used up.
        foreach (Func<ClaimsPrincipal> peer in new Func<ClaimsPrincipal>[]
        {
            () => User("a", new Claim(ClaimTypes.Role, "guest")),
            () => User("a", new Claim(ClaimTypes.Name, "ann")),
            () => new ClaimsPrincipal(new ClaimsIdentity("test")),
        })
        {
            identity = peer;
            await AskAsync("/x").Gives(CoapCode.TooManyRequests);
        }

        static ClaimsPrincipal User(string issuer, params Claim[] claims) =>
            new(new ClaimsIdentity(claims.Select(claim => new Claim(claim.Type, claim.Value, null, issuer)), "test"));
    }

    [Fact]
    public async Task A_blockwise_upload_takes_a_single_permit_span_and_measurement()
    {
        const string Route = "/firmware-of-one-permit";
        byte[] body = [.. Enumerable.Range(0, 100_000).Select(i => (byte)(i ^ (i >> 8)))];
        string path = Path.GetTempFileName();
        await File.WriteAllBytesAsync(path, body);
        ConcurrentQueue<Activity> spans = [];
        using ActivityListener listener = new()
        {
            ShouldListenTo = source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = span =>
            {
                if (Equals(span.GetTagItem("coap.route"), Route))
                {
                    spans.Enqueue(span);
                }
            },
        };
        ActivitySource.AddActivityListener(listener);
        int measured = 0;
        using MeterListener meters = new()
        {
            InstrumentPublished = (instrument, all) =>
            {
                if (instrument.Meter.Name == CoapTelemetry.MeterName && instrument.Name == "coap.server.request.duration")
                {
                    all.EnableMeasurementEvents(instrument);
                }
            },
        };
        meters.SetMeasurementEventCallback<double>((_, _, tags, _) =>
        {
            if (tags.Contains(new KeyValuePair<string, object?>("coap.route", Route)))
            {
                Interlocked.Increment(ref measured);
            }
        });
        meters.Start();
        using PartitionedRateLimiter<CoapRequestContext> limiter =
            PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => RateLimitPartition.GetTokenBucketLimiter(
                0,
                _ => new TokenBucketRateLimiterOptions
                {
                    TokenLimit = 2, TokensPerPeriod = 1, ReplenishmentPeriod = FromHours(1), AutoReplenishment = false,
                }));
        try
        {
            Server.MapGet(Route, () => CoapResults.File(path)).RequireRateLimiting(limiter);
            await StartAsync();

            for (int bodies = 1; bodies <= 2; bodies++)
            {
                CoapResponse whole = await AskAsync(Route);
                whole.Gives(CoapCode.Content);
                Assert.Equal(body, whole.Payload.ToArray());
                await Eventually.IsTrueAsync(() => spans.Count >= bodies && Volatile.Read(ref measured) >= bodies);
                Assert.Equal((bodies, bodies), (spans.Count, measured));
            }

            Assert.All(spans, span => Assert.Equal(98L, span.GetTagItem("coap.response.blocks")));
            CoapResponse refused = await AskAsync(Route);
            Assert.Equal((CoapCode.TooManyRequests, FromHours(1)), (refused.Code, refused.MaxAge));
        }
        finally
        {
            File.Delete(path);
        }
    }

    [Fact]
    public async Task A_route_with_an_unknown_limiter_is_answered_5_00()
    {
        Services.AddCoapRateLimits(options => options.AddLimit("a", _ => Once(0)));
        Server.MapGet("/x", () => "x").RequireRateLimiting("b");
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task Notifications_take_no_permit()
    {
        using PartitionedRateLimiter<CoapRequestContext> limiter = PartitionedRateLimiter.Create<CoapRequestContext, int>(_ => Once(0));
        CoapRouteHandlerBuilder route = Server.MapGet("/x", () => "x").Observable().RequireRateLimiting(limiter);
        await StartAsync();
        await using CoapObservation observation = await Within(Client().ObserveAsync(Uri("/x")));
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        route.Notify();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        states.Current.Says("x");
    }

    [Fact]
    public void Limiters_are_disposed_with_the_services_and_not_created_again()
    {
        Disposable? made = null;
        ServiceCollection services = new();
        services.AddCoapRateLimits(options => options.AddLimit("a", () => made = new Disposable()));
        RateLimiters limiters;
        using (ServiceProvider provider = services.BuildServiceProvider())
        {
            limiters = provider.GetRequiredService<RateLimiters>();
            Assert.Null(made);
            Assert.Same(limiters.Get("a"), limiters.Get("a"));
            Assert.False(made!.IsDisposed);
        }

        Assert.True(made.IsDisposed);
        Assert.Throws<ObjectDisposedException>(() => limiters.Get("a"));
    }

    private static RateLimitPartition<TKey> Once<TKey>(TKey key)
        where TKey : notnull =>
        RateLimitPartition.GetTokenBucketLimiter(key, _ => new TokenBucketRateLimiterOptions
        {
            TokenLimit = 1,
            TokensPerPeriod = 1,
            ReplenishmentPeriod = FromSeconds(90),
            AutoReplenishment = false,
        });

    private static RateLimitPartition<int> AtATime(int key, int waiting) =>
        RateLimitPartition.GetConcurrencyLimiter(key, _ => new ConcurrencyLimiterOptions { PermitLimit = 1, QueueLimit = waiting });

    private sealed class Disposable : PartitionedRateLimiter<CoapRequestContext>
    {
        public bool IsDisposed { get; private set; }

        public override RateLimiterStatistics? GetStatistics(CoapRequestContext resource) => null;

        protected override RateLimitLease AttemptAcquireCore(CoapRequestContext resource, int permitCount) =>
            throw new InvalidOperationException();

        protected override ValueTask<RateLimitLease> AcquireAsyncCore(CoapRequestContext resource, int permitCount,
            CancellationToken cancellationToken) => throw new InvalidOperationException();

        protected override void Dispose(bool disposing)
        {
            IsDisposed = true;
            base.Dispose(disposing);
        }
    }
}
