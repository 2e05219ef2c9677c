namespace CoAP.NET.Tests.Observing;

/// <summary>Which observers share a run of the handler, and which get a state of their own.</summary>
public sealed class SameForAllTests : ServerObserveTest
{
    [Fact]
    public async Task A_handler_that_uses_the_peer_gives_each_of_two_anonymous_observers_its_own_state()
    {
        int n = 0;
        CoapRouteHandlerBuilder route =
            Server.MapGet("/obs", request => CoapResults.Text($"{request.Peer.Address} {n}")).Observable();
        await StartAsync();
        Register(PeerNumber(1));
        Register(PeerNumber(2));
        for (int i = 1; i <= 3; i++)
        {
            n = i;
            route.Notify();
            Settle();
            var sent = TakeNew();
            Assert.Equal(
                [$"{PeerNumber(1)} {i}", $"{PeerNumber(2)} {i}"],
                sent.OrderBy(item => item.Peer.Low).Select(item => TextOf(item.Message)));
            Assert.All(sent, item => Assert.StartsWith($"{item.Peer} ", TextOf(item.Message), Ordinal));
            sent.ForEach(item => Acknowledge(item.Peer, item.Message));
        }
    }

    [Theory]
    [InlineData("handler without parameters", 1)]
    [InlineData("handler without parameters, asynchronous", 1)]
    [InlineData("handler without parameters, not the same for all", 3)]
    [InlineData("handler without parameters, filter", 3)]
    [InlineData("handler without parameters, filter that leaves the route unchanged", 1)]
    [InlineData("handler without parameters, filter of the group", 3)]
    [InlineData("handler without parameters, error content", 3)]
    [InlineData("handler with the request", 3)]
    [InlineData("handler with the request, same for all", 1)]
    [InlineData("handler with the request, same for all, filter", 1)]
    [InlineData("handler with the request, same for all, filter before the body", 3)]
    [InlineData("resource class", 3)]
    [InlineData("resource class, same for all", 1)]
    public async Task Three_anonymous_observers_share_a_run_only_where_the_state_is_the_same_for_all(string route, int runs)
    {
        int before = 0;
        CoapRouteHandlerBuilder mapped = Map(route, () => before++);
        await StartAsync();
        for (int i = 1; i <= 3; i++)
        {
            Register(PeerNumber(i));
        }

        before = 0;
        mapped.Notify();
        Settle();
        Assert.Equal(3, TakeNew().Count);
        Assert.Equal(runs, before);
    }

    [Fact]
    public async Task A_filter_that_is_added_to_a_route_with_observers_gives_each_of_them_its_own_run()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        for (int i = 1; i <= 3; i++)
        {
            Register(PeerNumber(i));
        }

        Change(route, "1");
        TakeNew().ForEach(item => Acknowledge(item.Peer, item.Message));
        route.AddFilter(async (request, next, cancellationToken) =>
        {
            CoapResult result = await next(request, cancellationToken);
            return CoapResults.Text($"{request.Peer.Address} {Encoding.UTF8.GetString(result.Payload.Span)}");
        });
        for (int i = 2; i <= 3; i++)
        {
            Change(route, $"{i}");
            var sent = TakeNew();
            Assert.Equal(3, sent.Count);
            Assert.All(sent, item => Assert.Equal($"{item.Peer} {i}", TextOf(item.Message)));
            sent.ForEach(item => Acknowledge(item.Peer, item.Message));
        }

        Assert.Equal(3, Server.ObserverCount);
        Pass(60);
        Assert.Equal(3, Server.ObserverCount);
    }

    [Fact]
    public async Task A_change_for_one_client_is_notified_to_that_client_alone()
    {
        CoapRequestContext? first = null;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", request =>
        {
            first ??= request;
            return CoapResults.Text($"{request.Peer.Address}");
        }).Observable();
        await StartAsync();
        Register(PeerNumber(1));
        Register(PeerNumber(2));

        Assert.Equal(1, route.NotifyFor(first!, first!.Channel));
        Settle();

        Assert.Equal(PeerNumber(1), Assert.Single(TakeNew()).Peer);
        Assert.Equal((1, 2), (route.CountObservers(first, first.Channel), route.CountObservers(first, null)));
    }

    private CoapRouteHandlerBuilder Map(string route, Action run)
    {
        string[] words = route.Split(", ");
        CoapRouteGroup group = Server.MapGroup("/");
        CoapResult Answer()
        {
            run();
            return CoapResults.Text("state");
        }

        if (words.Contains("filter of the group"))
        {
            group.AddFilter((request, next, cancellationToken) => next(request, cancellationToken));
        }

        CoapRouteHandlerBuilder mapped = words switch
        {
            ["resource class", ..] => group.Map(new StateResource(Answer)),
            ["handler with the request", ..] => group.MapGet("/obs", _ => Answer()),
            _ when words.Contains("asynchronous") => group.MapGet("/obs", () => Task.FromResult(Answer())),
            _ => group.MapGet("/obs", () => Answer()),
        };
        mapped.Observable(observe => observe.SameForAll =
            words.Contains("same for all") ? true : words.Contains("not the same for all") ? false : null);
        if (words.Contains("filter"))
        {
            mapped.AddFilter((request, next, cancellationToken) => next(request, cancellationToken));
        }

        if (words.Contains("filter that leaves the route unchanged"))
        {
            mapped.AddFilterFactory((_, next) => next);
        }

        if (words.Contains("filter before the body"))
        {
            mapped.AddFilterFactory((_, next) => (request, cancellationToken) => next(request, cancellationToken), beforeBody: true);
        }

        return words.Contains("error content") ? mapped.WithErrorContent((_, _, _) => null) : mapped;
    }

    private sealed class StateResource(Func<CoapResult> answer) : CoapResource("/obs")
    {
        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(answer());
    }
}
