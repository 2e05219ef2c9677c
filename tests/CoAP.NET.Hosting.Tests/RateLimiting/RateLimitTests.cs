using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Security.Principal;

namespace CoAP.NET.Hosting.Tests.RateLimiting;

// No limiter here gives new permits by itself, so that no test depends on time.
public sealed class RateLimitTests : ServedTest
{
    [Fact]
    public async Task A_request_too_many_is_answered_4_29_with_how_long_to_wait()
    {
        bool runs = false;
        using PartitionedRateLimiter<CoapRequest> limiter = PartitionedRateLimiter.Create<CoapRequest, int>(_ => Once(0));
        Server.MapGet("/x", () =>
        {
            Assert.False(runs);
            runs = true;
            return "x";
        }).RequireRateLimit(limiter);
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.Content);
        CoapResponse held = await AskAsync("/x");
        Assert.Equal((CoapCode.TooManyRequests, FromSeconds(90)), (held.Code, held.MaxAge));
    }

    [Fact]
    public void A_key_of_no_request_is_refused()
    {
        Assert.Equal("request", Assert.Throws<ArgumentNullException>(() => CoapRateLimitKey.Address(null!)).ParamName);
        Assert.Equal("request", Assert.Throws<ArgumentNullException>(() => CoapRateLimitKey.Identity(null!)).ParamName);
    }

    [Fact]
    public async Task A_permit_is_given_back_when_the_answer_is_there()
    {
        TaskCompletionSource<CoapResult> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        using PartitionedRateLimiter<CoapRequest> limiter =
            PartitionedRateLimiter.Create<CoapRequest, int>(_ => AtATime(0, waiting: 0));
        Server.MapGet("/x", () =>
        {
            entered.TrySetResult();
            return answer.Task;
        }).RequireRateLimit(limiter, FromSeconds(7));
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
    public async Task A_permit_is_given_back_when_the_handler_fails()
    {
        using PartitionedRateLimiter<CoapRequest> limiter =
            PartitionedRateLimiter.Create<CoapRequest, int>(_ => AtATime(0, waiting: 0));
        Server.MapGet("/x", _ => throw new FormatException()).RequireRateLimit(limiter);
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        await AskAsync("/x").Gives(CoapCode.InternalServerError);
    }

    [Fact]
    public async Task A_limiter_with_a_queue_lets_requests_wait()
    {
        TaskCompletionSource<CoapResult> answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource entered = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource queued = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int asked = 0;
        using PartitionedRateLimiter<CoapRequest> limiter =
            PartitionedRateLimiter.Create<CoapRequest, int>(_ => AtATime(0, waiting: 1));
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
        }).RequireRateLimit(limiter);
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
    public async Task Each_identity_has_its_own_permits_by_a_limit_that_routes_share()
    {
        string identity = "ann";
        Server.Routes.AddFilter((request, next, cancellationToken) =>
        {
            request.Channel!.Identity = Volatile.Read(ref identity);
            return next(request, cancellationToken);
        });
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request => Once(CoapRateLimitKey.Identity(request))));
        CoapRouteGroup group = Server.MapGroup("/g").RequireRateLimit("per peer");
        group.MapGet("/x", () => "x");
        group.MapGet("/y", () => "y");
        group.MapGet("/free", () => "free").DisableRateLimit();
        await StartAsync();

        await AskAsync("/g/x").Gives(CoapCode.Content);
        await AskAsync("/g/y").Gives(CoapCode.TooManyRequests);
        await AskAsync("/g/free").Gives(CoapCode.Content);
        Volatile.Write(ref identity, "bob");
        await AskAsync("/g/y").Gives(CoapCode.Content);
        await AskAsync("/g/x").Gives(CoapCode.TooManyRequests);
    }

    [Fact]
    public async Task An_address_that_is_not_verified_has_no_partition_of_a_limit_behind_that_requirement()
    {
        List<object> partitions = [];
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request =>
        {
            partitions.Add(CoapRateLimitKey.Identity(request));
            return Once(partitions[^1]);
        }));
        Server.MapPost("/x", () => CoapResults.Changed())
            .RequireAuthorization(policy => policy.RequireVerifiedAddress())
            .RequireRateLimit("per peer");
        await StartAsync();

        CoapRequest stranger = new(CoapMethod.Post, Uri("/x")) { IsForwarded = true };
        await Client().SendAsync(stranger).Gives(CoapCode.Unauthorized);
        Assert.Empty(partitions);
        await AskAsync("/x", CoapMethod.Post).Gives(CoapCode.Changed);
        Assert.Single(partitions);
    }

    [Fact]
    public async Task A_user_has_one_limit_for_all_connections_and_whoever_has_not_logged_in_that_of_the_address()
    {
        // As each WebSocket has it: a principal of its own.
        Func<object> identity = () => new ClaimsPrincipal(new ClaimsIdentity());
        Server.Routes.AddFilter((request, next, cancellationToken) =>
        {
            request.Channel!.Identity = identity();
            return next(request, cancellationToken);
        });
        Services.AddCoapRateLimits(options => options.AddLimit("per peer", request => Once(CoapRateLimitKey.Identity(request))));
        Server.MapGet("/x", () => "x").RequireRateLimit("per peer");
        await StartAsync();

        foreach (Func<object> peer in new Func<object>[]
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
        foreach (Func<object> peer in new Func<object>[]
        {
            () => User("a", new Claim(ClaimTypes.Role, "guest")),
            () => User("a", new Claim(ClaimTypes.Name, "ann")),
            () => new GenericIdentity("ann", "test"),
        })
        {
            identity = peer;
            await AskAsync("/x").Gives(CoapCode.TooManyRequests);
        }

        static ClaimsPrincipal User(string issuer, params Claim[] claims) =>
            new(new ClaimsIdentity(claims.Select(claim => new Claim(claim.Type, claim.Value, null, issuer)), "test"));
    }

    [Fact]
    public async Task A_file_in_blocks_is_one_permit_of_a_token_bucket_one_span_and_one_measurement()
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
        using PartitionedRateLimiter<CoapRequest> limiter =
            PartitionedRateLimiter.Create<CoapRequest, int>(_ => RateLimitPartition.GetTokenBucketLimiter(
                0,
                _ => new TokenBucketRateLimiterOptions
                {
                    TokenLimit = 2, TokensPerPeriod = 1, ReplenishmentPeriod = FromHours(1), AutoReplenishment = false,
                }));
        try
        {
            Server.MapGet(Route, () => CoapResults.File(path)).RequireRateLimit(limiter);
            await StartAsync();

            for (int bodies = 1; bodies <= 2; bodies++)
            {
                CoapResponse whole = await AskAsync(Route);
                Assert.Equal(CoapCode.Content, whole.Code);
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
    public async Task A_limit_that_is_not_there_is_answered_5_00()
    {
        Services.AddCoapRateLimits(options => options.AddLimit("a", _ => Once(0)));
        Server.MapGet("/x", () => "x").RequireRateLimit("b");
        await StartAsync();

        await AskAsync("/x").Gives(CoapCode.InternalServerError);
        Assert.Contains(Logged.Entries, entry => entry.Id == 1500);
    }

    [Fact]
    public async Task Notifications_take_no_permit()
    {
        using PartitionedRateLimiter<CoapRequest> limiter = PartitionedRateLimiter.Create<CoapRequest, int>(_ => Once(0));
        CoapRouteHandlerBuilder route = Server.MapGet("/x", () => "x").Observable().RequireRateLimit(limiter);
        await StartAsync();
        await using CoapObservation observation = await Within(Client().ObserveAsync(Uri("/x")));
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        route.Notify();
        Assert.True(await Within(states.MoveNextAsync().AsTask()));
        Assert.Equal("x", states.Current.GetText());
    }

    [Fact]
    public void Limiters_end_with_the_services_and_are_not_made_again()
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

    private sealed class Disposable : PartitionedRateLimiter<CoapRequest>
    {
        public bool IsDisposed { get; private set; }

        public override RateLimiterStatistics? GetStatistics(CoapRequest resource) => null;

        protected override RateLimitLease AttemptAcquireCore(CoapRequest resource, int permitCount) =>
            throw new InvalidOperationException();

        protected override ValueTask<RateLimitLease> AcquireAsyncCore(CoapRequest resource, int permitCount,
            CancellationToken cancellationToken) => throw new InvalidOperationException();

        protected override void Dispose(bool disposing)
        {
            IsDisposed = true;
            base.Dispose(disposing);
        }
    }
}
