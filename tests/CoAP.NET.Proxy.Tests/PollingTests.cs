using System.Collections.Concurrent;

namespace CoAP.NET.Proxy.Tests;

/// <summary>Clients that observe what a server has whose protocol has no observations: it is asked again and again.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PollingTests : IAsyncLifetime
{
    private static readonly TimeSpan s_interval = FromSeconds(30);

    private readonly ProxyWorld _world = new(options => options.RequireVerified = false);
    private readonly PolledServer _server = new() { Interval = s_interval };
    private readonly PolledServer _telling = new() { Interval = s_interval, TellsApart = true };
    private readonly List<CoapClient> _clients = [];

    public async ValueTask InitializeAsync()
    {
        _world.ProxyServer.MapReverseProxy("/config", "http://service.example/config", _server, _world.Proxy);
        _world.ProxyServer.MapReverseProxy("/mine", "http://service.example/mine", _telling, _world.Proxy);
        for (int i = 0; i < 3; i++)
        {
            _clients.Add(_world.MakeClient($"[2001:db8:2::{i + 1}]"));
        }

        await _world.StartAsync();
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Theory]
    [Rfc("7641-5-1")]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_single_poll_serves_all_observers_which_are_notified_of_changes_only(bool hasTags)
    {
        _server.HasTags = hasTags;
        int heard = 0;
        List<CoapObservation> observations = [];
        foreach (CoapClient client in _clients)
        {
            observations.Add(await _world.RunAsync(() => client.ObserveAsync(
                new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/config"),
                new CoapObservationOptions { OnNotification = _ => Interlocked.Increment(ref heard) })));
        }

        Assert.All(observations, observation => Assert.Equal(CoapObserveState.Observing, observation.State));
        int asked = _server.Asked.Count;
        int before = heard;
        await _world.PassAsync(s_interval * 3);
        Assert.Equal(3, _server.Asked.Count - asked);
        Assert.Equal(3, _world.Proxy.GetCounters().Polls);
        Assert.Equal(before, heard);
        Assert.All(_server.Asked.Skip(asked), request => Assert.Equal(hasTags, request.Options.ETag is not null));

        _server.Value = "b";
        await _world.Clock.AdvanceUntilAsync(() => observations.All(observation => observation.Latest!.GetText() == "b"),
            FromMinutes(2));
        Assert.Equal(1, _world.Proxy.GetCounters().Observations);
        foreach (CoapObservation observation in observations)
        {
            await _world.EndAsync(observation);
        }

        await _world.Clock.AdvanceUntilAsync(() => _world.Proxy.GetCounters().Observations == 0, FromMinutes(2));
        asked = _server.Asked.Count;
        await _world.PassAsync(FromHours(1));
        Assert.Equal(asked, _server.Asked.Count);
    }

    [Fact]
    public async Task A_fresh_response_is_not_polled_again()
    {
        _server.MaxAge = FromMinutes(10);
        await using CoapObservation observation = await ObserveAsync(0);
        int asked = _server.Asked.Count;
        await _world.PassAsync(FromMinutes(9));
        Assert.Equal(asked, _server.Asked.Count);
        await _world.PassAsync(FromMinutes(2));
        Assert.Equal(asked + 1, _server.Asked.Count);
    }

    [Fact]
    public async Task A_failing_server_is_polled_less_often_and_a_lasting_failure_is_notified()
    {
        await using CoapObservation observation = await ObserveAsync(0);
        int asked = _server.Asked.Count;
        _server.Code = CoapCode.ServiceUnavailable;
        await _world.PassAsync(s_interval); // the first failure, after which it waits 60, 120, 240 s
        Assert.Equal(1, _server.Asked.Count - asked);
        await _world.PassAsync(FromSeconds(59));
        Assert.Equal(1, _server.Asked.Count - asked);
        await _world.PassAsync(FromSeconds(2));
        Assert.Equal(2, _server.Asked.Count - asked);
        observation.Latest!.Says("a");

        // It comes back, and nobody has heard of anything.
        _server.Code = CoapCode.Content;
        await _world.PassAsync(FromMinutes(2));
        Assert.Equal(1, _world.Proxy.GetCounters().Observations);
        observation.Latest!.Says("a");

        _server.Code = CoapCode.BadGateway;
        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.Code == CoapCode.BadGateway, FromHours(2));
    }

    [Fact]
    public async Task A_poll_that_gets_4_04_ends_the_observation_at_once()
    {
        await using CoapObservation observation = await ObserveAsync(0);
        _server.Code = CoapCode.NotFound;
        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.Code == CoapCode.NotFound, FromMinutes(1));
        Assert.Equal(0, _world.ProxyServer.ObserverCount);
    }

    [Fact]
    public async Task Observing_a_server_that_the_proxy_does_not_poll_gives_one_response()
    {
        _server.Interval = null;
        await using CoapObservation observation = await ObserveAsync(0);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        observation.Latest!.Says("a");
        Assert.Equal(0, _world.Proxy.GetCounters().Observations);
    }

    [Fact]
    public async Task Clients_that_the_server_distinguishes_do_not_share_a_poll_and_are_notified_of_their_own_changes_only()
    {
        _telling.HasTags = false;
        ConcurrentQueue<string>[] heard = [[], []];
        CoapObservation[] observations = [await ObserveAsync(0), await ObserveAsync(1)];
        string[] addresses = [.. observations.Select(observation => observation.Latest!.GetText())];
        Assert.Equal(2, _world.Proxy.GetCounters().Observations);
        Assert.NotEqual(addresses[0], addresses[1]);
        for (int i = 1; i <= 4; i++)
        {
            int changed = i % 2;
            _telling.Changed[addresses[changed]] = $" {i}";
            await _world.Clock.AdvanceUntilAsync(
                () => observations[changed].Latest!.GetText() == $"{addresses[changed]} {i}", FromMinutes(2));
        }

        // Two changes for each: the other client hears nothing, not even that something changed.
        await _world.PassAsync(s_interval * 3);
        Assert.All(heard, texts => Assert.Equal(2, texts.Count(text => text.Contains(' ', Ordinal))));
        Assert.All(heard, texts => Assert.Equal(texts.Distinct(), texts));
        Assert.All([0, 1], i => Assert.All(heard[i], text => Assert.StartsWith(addresses[i], text, Ordinal)));

        // The poll for a client ends with its observation, although the other one still observes the path.
        await _world.EndAsync(observations[0]);
        await _world.Clock.AdvanceUntilAsync(() => _world.Proxy.GetCounters().Observations == 1, FromMinutes(2));
        await _world.EndAsync(observations[1]);

        Task<CoapObservation> ObserveAsync(int client) => _world.RunAsync(() => _clients[client].ObserveAsync(
            new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/mine"),
            new CoapObservationOptions { OnNotification = response => heard[client].Enqueue(response.GetText()) }));
    }

    private Task<CoapObservation> ObserveAsync(int client) =>
        _world.RunAsync(() => _clients[client].ObserveAsync(new CoapRequest(CoapMethod.Get, $"{ProxyWorld.ProxyUri}/config")));

    /// <summary>A server that answers requests of a proxy, such as one of HTTP.</summary>
    private sealed class PolledServer : UpstreamClient
    {
        public TimeSpan? Interval { get; set; }

        public string Value { get; set; } = "a";

        public CoapCode Code { get; set; } = CoapCode.Content;

        public TimeSpan MaxAge { get; set; }

        public bool HasTags { get; set; } = true;

        public bool TellsApart { get; init; }

        /// <summary>What it adds for a client.</summary>
        public ConcurrentDictionary<string, string> Changed { get; } = [];

        public List<CoapForwardedRequest> Asked { get; } = [];

        public override IReadOnlyCollection<string> Schemes => ["http"];

        public override bool DependsOnClient => TellsApart;

        public override TimeSpan? PollInterval => Interval;

        public override Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken)
        {
            Asked.Add(request);
            string client = $"{request.Received.Peer.Address}";
            string value = TellsApart ? client + Changed.GetValueOrDefault(client) : Value;
            CoapETag tag = new(Encoding.UTF8.GetBytes(Value));
            bool isValid = HasTags && request.Options.ETags.Contains(tag);
            CoapResult result = Code.IsError ? CoapResults.Status(Code)
                : isValid ? new CoapResult(CoapCode.Valid) : new CoapResult(Code, Encoding.UTF8.GetBytes(value));
            result.OwnOptions.MaxAge = MaxAge;
            if (HasTags && !Code.IsError)
            {
                result.OwnOptions.ETag = tag;
            }

            return Task.FromResult(result);
        }
    }
}
