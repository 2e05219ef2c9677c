using CoAP.NET.Diagnostics;

namespace CoAP.NET.Proxy.Tests;

[Collection(VirtualTimeCollection.Name)]
public sealed class ObservingTests : IAsyncLifetime
{
    private readonly ProxyWorld _world = new(options => options.RequireVerified = false);
    private readonly List<CoapClient> _clients = [];
    private int _value;
    private CoapCode _code = CoapCode.Content;
    private TimeSpan _errorAge = FromSeconds(60);
    private CoapRouteHandlerBuilder _state = null!;

    public async ValueTask InitializeAsync()
    {
        _world.ProxyServer.MapForwardProxy(_world.Proxy);
        _world.ProxyServer.MapReverseProxy("/floor1/{*path}", ProxyWorld.OriginUri, _world.Proxy);
        _state = _world.Origin.MapGet("/state", _ => _code == CoapCode.Content
            ? CoapResults.Text($"{_value}").WithMaxAge(FromSeconds(300)) : CoapResults.Status(_code).WithMaxAge(_errorAge))
            .Observable();
        _world.Origin.MapGet("/plain", () => CoapResults.Text("plain"));
        for (int i = 0; i < 4; i++)
        {
            _clients.Add(_world.MakeClient($"[2001:db8:2::{i + 1}]"));
        }

        await _world.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("7641-5-1")]
    public async Task Four_clients_share_a_single_observation_of_the_server_and_all_are_notified(bool reverse)
    {
        CoapObservation[] observations = [.. await Task.WhenAll(_clients.Select(client => ObserveAsync(client, reverse)))];

        Assert.Equal(1, _state.ObserverCount);
        Assert.Equal(1, _world.Proxy.GetCounters().Observations);
        Assert.All(observations, observation => Assert.Equal(CoapObserveState.Observing, observation.State));
        for (int i = 1; i <= 3; i++)
        {
            _value = i;
            _state.Notify();
            await _world.Clock.AdvanceUntilAsync(() => observations.All(observation => observation.Latest!.GetText() == $"{i}"),
                FromMinutes(1));
        }

        foreach (CoapObservation observation in observations[1..])
        {
            await _world.EndAsync(observation);
        }

        await _world.PassAsync(FromMinutes(1));
        Assert.Equal(1, _state.ObserverCount);
        await _world.EndAsync(observations[0]);
        await _world.Clock.AdvanceUntilAsync(() => _state.ObserverCount == 0, FromMinutes(1));
        Assert.Equal(0, _world.Proxy.GetCounters().Observations);
    }

    [Fact]
    [Rfc("7641-5-1")]
    public async Task A_new_observer_gets_the_known_state_with_its_remaining_Max_Age()
    {
        await using CoapObservation first = await ObserveAsync(_clients[0]);
        await _world.PassAsync(FromSeconds(100));
        await using CoapObservation second = await ObserveAsync(_clients[1]);

        Assert.Equal(1, _state.ObserverCount);
        Assert.InRange(second.Latest!.MaxAge, FromSeconds(195), FromSeconds(200));
    }

    [Fact]
    [Rfc("9175-2.3-6")]
    public async Task An_observer_that_proved_its_address_is_notified_without_another_request_to_the_server()
    {
        // As default: the registration comes again with an Echo, which is no affair of the server.
        await using ProxyWorld world = new();
        world.ProxyServer.MapForwardProxy(world.Proxy);
        List<bool> echoes = [];
        int value = 0;
        CoapRouteHandlerBuilder state = world.Origin.MapGet("/state", request =>
        {
            echoes.Add(request.Options.Contains(OptionNumber.Echo));
            return CoapResults.Text($"{value}");
        }).Observable();
        await world.StartAsync();
        await using CoapObservation observation =
            await world.RunAsync(() => world.Client.ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/state")));
        Assert.Equal(1, world.Proxy.GetCounters().Challenges);
        value = 1;
        state.Notify();
        await world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == "1", FromMinutes(1));

        // One for the registration, one for the notification.
        Assert.Equal([false, false], echoes);
        Assert.Equal(1, world.Proxy.GetCounters().Observations);
    }

    [Fact]
    public async Task A_registration_that_an_error_ended_is_not_repeated_without_observers()
    {
        CoapObservation observation = await ObserveAsync(_clients[0]);
        _code = CoapCode.NotFound;
        _state.Notify();
        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.Code == CoapCode.NotFound, FromMinutes(1));
        await _world.EndAsync(observation);
        _code = CoapCode.Content;
        TimeSpan end = _world.Clock.Elapsed + FromMinutes(1);
        int most = 0;
        await _world.Clock.AdvanceUntilAsync(
            () =>
            {
                most = Math.Max(most, _state.ObserverCount);
                return _world.Clock.Elapsed >= end;
            },
            FromMinutes(2),
            step: FromSeconds(1));
        Assert.Equal(0, most);
    }

    [Fact]
    public async Task A_resource_that_does_not_notify_is_not_observable_through_the_proxy()
    {
        CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/plain");
        CoapObservation observation = await _world.RunAsync(() => _clients[0].ObserveAsync(request));

        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        observation.Latest!.Says("plain");
        Assert.Equal(0, _world.ProxyServer.ObserverCount);
        Assert.Equal(0, _world.Proxy.GetCounters().Observations);
        await _world.EndAsync(observation);
    }

    [Fact]
    public async Task An_error_of_the_server_ends_the_observation_of_all_clients_and_they_may_register_again()
    {
        CoapObservation[] observations = [.. await Task.WhenAll(_clients[..2].Select(client => ObserveAsync(client)))];
        _code = CoapCode.NotFound;
        _state.Notify();
        await _world.Clock.AdvanceUntilAsync(() => observations.All(observation => observation.Latest!.Code == CoapCode.NotFound),
            FromMinutes(1));
        Assert.Equal(0, _world.ProxyServer.ObserverCount);

        _code = CoapCode.Content;
        _value = 7;
        await _world.Clock.AdvanceUntilAsync(
            () => observations.All(observation => observation is { State: CoapObserveState.Observing }
                && observation.Latest!.GetText() == "7"), FromHours(1));
        Assert.Equal(1, _state.ObserverCount);
        foreach (CoapObservation observation in observations)
        {
            await _world.EndAsync(observation);
        }
    }

    [Fact]
    [Rfc("7252-5.7.1-3")]
    public async Task A_new_observer_does_not_get_an_earlier_error_after_its_Max_Age()
    {
        CoapObservation first = await ObserveAsync(_clients[0]);
        _code = CoapCode.ServiceUnavailable;
        _errorAge = FromSeconds(3);
        _state.Notify();
        await _world.Clock.AdvanceUntilAsync(() => first.Latest!.Code == CoapCode.ServiceUnavailable, FromMinutes(1));
        await _world.EndAsync(first);
        _code = CoapCode.Content;
        await _world.PassAsync(FromSeconds(4));

        CoapObservation second = await ObserveAsync(_clients[1]);

        second.Latest!.Says("0");
        Assert.Equal(CoapObserveState.Observing, second.State);
    }

    [Fact]
    [Rfc("7641-5-1")]
    public async Task A_registration_is_kept_while_the_response_for_its_next_observer_is_in_progress()
    {
        // What is known is stale soon, and the answer of a slow server takes longer than a registration without observers lasts.
        (int value, TimeSpan maxAge, TimeSpan delay) = (0, FromSeconds(2), TimeSpan.Zero);
        CoapRouteHandlerBuilder slow = _world.Origin.MapGet("/slow", async (CoapRequestContext _, CancellationToken cancellationToken) =>
        {
            await Task.Delay(delay, _world.Clock, cancellationToken);
            return CoapResults.Text($"{value}").WithMaxAge(maxAge);
        }).Observable();
        Task<CoapObservation> Observe(CoapClient client) =>
            _world.RunAsync(() => client.ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/slow")));
        CoapObservation first = await Observe(_clients[0]);
        await _world.EndAsync(first);
        await PassAsync(FromSeconds(3));
        (maxAge, delay) = (FromHours(1), FromSeconds(40));
        await using CoapObservation second = await Observe(_clients[1]);

        Assert.Equal(CoapObserveState.Observing, second.State);
        Assert.Equal(1, _world.Proxy.GetCounters().Observations);
        delay = TimeSpan.Zero;
        value = 1;
        slow.Notify();
        await _world.Clock.AdvanceUntilAsync(() => second.Latest!.GetText() == "1", FromMinutes(5));
    }

    [Fact]
    [Rfc("7641-5-1")]
    public async Task Clients_do_not_keep_an_observation_of_a_restarted_server_that_does_not_notify()
    {
        await using CoapObservation observation = await ObserveAsync(_clients[0]);
        await _world.Origin.DisposeAsync();
        CoapServer restarted = _world.MakeServer("[2001:db8:1::1]:5683");
        restarted.MapGet("/state", () => CoapResults.Text("plain").WithMaxAge(FromSeconds(300)));
        await restarted.StartAsync();

        await _world.Clock.AdvanceUntilAsync(
            () => observation.State == CoapObserveState.NotObserving && _world.Proxy.GetCounters().Observations == 0,
            FromHours(1));
        observation.Latest!.Says("plain");
        Assert.Equal(0, _world.ProxyServer.ObserverCount);
    }

    [Fact]
    [Rfc("7641-5-1")]
    public async Task Clients_are_notified_at_once_that_a_server_stopped_notifying()
    {
        bool declines = false;
        CoapRouteHandlerBuilder route = _world.Origin.MapGet("/ending", () =>
        {
            CoapResult result = CoapResults.Text(declines ? "last" : "first").WithMaxAge(FromDays(1));
            result.DeclinesObserver = declines;
            return result;
        }).Observable();
        CoapObservation[] observations = [
            await _world.RunAsync(() => _clients[0].ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/ending"))),
            await _world.RunAsync(() => _clients[1].ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/ending")))];
        declines = true;
        route.Notify();
        await _world.Clock.AdvanceUntilAsync(
            () => observations.All(one => one.State == CoapObserveState.NotObserving), FromMinutes(1));

        Assert.All(observations, one => one.Latest!.Says("last"));
        Assert.Equal(0, _world.ProxyServer.ObserverCount);
        foreach (CoapObservation observation in observations)
        {
            await _world.EndAsync(observation);
        }
    }

    [Fact]
    public async Task Different_requests_are_different_observations()
    {
        await using CoapObservation one = await ObserveAsync(_clients[0]);
        CoapRequest accepting = ProxyWorld.Ask($"{ProxyWorld.OriginUri}/state");
        accepting.Accept = CoapContentFormat.TextPlain;
        await using CoapObservation two = await _world.RunAsync(() => _clients[1].ObserveAsync(accepting));

        Assert.Equal(2, _state.ObserverCount);
        _value = 9;
        _state.Notify();
        await _world.Clock.AdvanceUntilAsync(() => one.Latest!.GetText() == "9" && two.Latest!.GetText() == "9", FromMinutes(1));
    }

    [Fact]
    public async Task Clients_that_exceed_the_limit_of_observations_get_a_response_without_Observe()
    {
        await using ProxyWorld world = new(options =>
        {
            options.RequireVerified = false;
            options.Limits.MaxObservations = 2;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here")).Observable();
        CoapClient[] clients = [.. Enumerable.Range(0, 3).Select(i => world.MakeClient($"[2001:db8:{i + 10:x}::1]"))];
        await world.StartAsync();
        List<CoapObserveState> states = [];
        foreach (CoapClient client in clients)
        {
            CoapObservation observation = await world.RunAsync(() =>
                client.ObserveAsync(ProxyWorld.Ask($"{ProxyWorld.OriginUri}/{states.Count}")));
            states.Add(observation.State);
            observation.Latest!.Says("here");
        }

        Assert.Equal([CoapObserveState.Observing, CoapObserveState.Observing, CoapObserveState.NotObserving], states);
        Assert.Equal(2, world.Proxy.GetCounters().Observations);
    }

    [Fact]
    [Rfc("8323-7.3-1")]
    public async Task A_Ping_of_a_client_causes_no_message_to_the_server_that_the_proxy_observes()
    {
        await using ProxyWorld world = new(options => options.RequireVerified = false);
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(_ => CoapResults.Text("here")).Observable();
        world.ProxyServer.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::1]:5700")));
        world.Client.Endpoint.AddTransport(world.Network.CreateTransport("coap+tcp", InMemoryNetwork.Address("[2001:db8::2]:5701")));
        await world.StartAsync();
        CoapRequest request = new(CoapMethod.Get, "coap+tcp://[2001:db8::1]:5700");
        request.Options.Add(new ProxyUriOption($"{ProxyWorld.OriginUri}/state"));
        CoapObservation observation = await world.RunAsync(() => world.Client.ObserveAsync(request));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        long before = world.Origin.Endpoint.Counters[CoapCounter.DatagramsReceived];
        Assert.NotEqual(0, before);

        for (int i = 0; i < 10; i++)
        {
            await world.RunAsync(() => world.Client.PingAsync("coap+tcp://[2001:db8::1]:5700"));
        }

        Assert.Equal(before, world.Origin.Endpoint.Counters[CoapCounter.DatagramsReceived]);
        await world.EndAsync(observation);
    }

    private Task PassAsync(TimeSpan time)
    {
        TimeSpan end = _world.Clock.Elapsed + time;
        return _world.Clock.AdvanceUntilAsync(() => _world.Clock.Elapsed >= end, time * 2, step: FromSeconds(1));
    }

    private Task<CoapObservation> ObserveAsync(CoapClient client, bool reverse = false)
    {
        CoapRequest request = reverse ? new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/floor1/state")
            : ProxyWorld.Ask($"{ProxyWorld.OriginUri}/state");
        return _world.RunAsync(() => client.ObserveAsync(request));
    }
}
