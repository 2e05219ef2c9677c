using CoAP.NET.AspNetCore;
using CoAP.NET.AspNetCore.Proxying;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Simulation.Attack;

/// <summary>
/// Clients of HTTP that take all they can get of a path that serves CoAP resources: slow devices, requests that are given up at once, and
/// bodies that never come. They meet the path without a web server, so that only its own bounds hold.
/// </summary>
internal static class HttpClients
{
    private const string Greedy = "192.0.2.66";
    private const string Honest = "192.0.2.1";
    private static readonly TimeSpan s_stall = TimeSpan.FromSeconds(30);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("proxy-http", "Clients of HTTP that hold what they can: slow devices, requests given up, bodies unsent",
            "8075-8.1-1, 8075-8.5-1", HoldAsync) { Plants = ["no-http-bound"] },
    ];

    private static async Task HoldAsync(AttackRun run)
    {
        int each = run.Size(100_000, 400);
        int max = run.IsPlanted("no-http-bound") ? 1_000_000 : 100;
        VirtualClock clock = new();
        CoapHttpResourceOptions options = new() { MaxRequests = 10 * max, MaxRequestsPerSource = max, StallTimeout = s_stall };
        Slow slow = new();
        using HttpToCoapResponder filling = new(slow, options, fillsCache: true, clock, NullLogger.Instance);
        ProxiedResourceEndpoint path = new(
            filling, new HttpRequestLimiter(options), context => CoapUri.Parse((string)context.Items["target"]!));
        List<Task> all = [];
        int mostUnderWay = 0;
        int honestRefused = 0;
        int honestAsked = 0;
        for (int i = 0; i < each; i++)
        {
            HttpContext context = Make(Greedy, $"coap://s.example.com/{i}");
            if (i % 2 == 1)
            {
                context.Request.Method = "PUT";
                context.Request.ContentLength = 1000;
                context.Request.Body = new NeverSent();
            }

            all.Add(path.HandleAsync(context));
            if (i % 4 == 2)
            {
                context.Abort();
            }

            mostUnderWay = Math.Max(mostUnderWay, (int)options.Counters.InProgress - honestAsked);
            if (i % (each / 40) == 0)
            {
                HttpContext honest = Make(Honest, $"coap://s.example.com/honest/{i}");
                honestAsked++;
                all.Add(path.HandleAsync(honest));
                honestRefused += honest.Response.StatusCode == StatusCodes.Status503ServiceUnavailable ? 1 : 0;
            }
        }

        int asked = slow.Asked;
        clock.Advance(s_stall);
        slow.Answer();
        await Task.WhenAll(all);
        run.Done =
            $"a source sends {each:N0} requests for as many devices that do not answer: half of them a PUT whose body never comes, a quarter "
            + $"GETs that it gives up at once and that go on to fill a cache; another one sends {honestAsked} requests meanwhile";
        run.AtMost("requests under way of the source", mostUnderWay, 100);
        run.AtMost("requests that devices got", asked, 100 + honestAsked);
        run.Exactly("requests of the other one refused", honestRefused, 0);
        run.AtLeast("bodies given up after 30 s", options.Counters.Stalled, 1);
        run.AtLeast("refused with 503 and counted", options.Counters.Busy, each - max);
        run.Exactly("requests under way afterwards", options.Counters.InProgress, 0);
    }

    private static DefaultHttpContext Make(string remote, string target)
    {
        DefaultHttpContext context = new();
        context.Features.Set<IHttpRequestLifetimeFeature>(new Lifetime());
        context.Connection.RemoteIpAddress = IPAddress.Parse(remote);
        context.Request.Method = "GET";
        context.Response.Body = Stream.Null;
        context.Items["target"] = target;
        return context;
    }

    private sealed class Slow : ICoapClient
    {
        private readonly TaskCompletionSource _answer = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public void Answer() => _answer.TrySetResult();

        public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref _asked);
            await _answer.Task.WaitAsync(cancellationToken);
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

    private sealed class NeverSent : MemoryStream
    {
        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
            return 0;
        }
    }
}
