using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Protection;
using CoAP.NET.Oscore.Stage;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>The keys of contexts that others replaced are wiped, as soon as nothing is under way with them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ContextRemovalTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly OscoreContexts _ofServer = new();
    private readonly OscoreContexts _ofClient = new();
    private readonly OscoreContext _server = OscoreWorld.ServerContext();
    private readonly OscoreContext _client = OscoreWorld.ClientContext();
    private readonly TaskCompletionSource<CoapResult> _late = new(RunContinuationsAsynchronously);
    private CoapServer _origin = null!;
    private CoapClient _asker = null!;
    private CoapRouteHandlerBuilder _route = null!;
    private string _state = "one";

    public async ValueTask InitializeAsync()
    {
        _ofServer.Add(_server);
        _ofClient.Add(OscoreWorld.ServerUri, _client);
        _origin = _world.Server(options => options.UseOscore(_ofServer));
        _origin.MapGet("/late", (CoapRequestContext _, CancellationToken _) => new ValueTask<CoapResult>(_late.Task)).RequireOscore();
        _route = _origin.MapGet("/state", () => _state == "end"
            ? CoapResults.InternalServerError()
            : CoapResults.Text(_state)).Observable().RequireOscore();
        await _origin.StartAsync();
        _asker = _world.Client(null, options => options.UseOscore(_ofClient));
    }

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Fact]
    public async Task An_unused_context_is_wiped_at_once()
    {
        await _world.GetAsync(_asker, "/state");

        Assert.True(_ofClient.RemoveAndWipe(_client));
        Assert.True(_ofServer.RemoveAndWipe(_server));

        Assert.Equal((true, true), (OscoreWorld.IsWiped(_client), OscoreWorld.IsWiped(_server)));
        Assert.Equal((0, 0), (_ofClient.Count, _ofServer.Count));
        Assert.False(_ofClient.RemoveAndWipe(_client));
    }

    [Fact]
    public async Task A_context_with_a_request_in_progress_is_wiped_at_both_ends_when_the_request_is_answered()
    {
        Task<CoapResponse> asked = _asker.SendAsync(new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Wire.Any(message => message.IsEmpty), FromMinutes(1));

        _ofClient.RemoveAndWipe(_client);
        _ofServer.RemoveAndWipe(_server);
        Assert.Equal((false, false), (OscoreWorld.IsWiped(_client), OscoreWorld.IsWiped(_server)));
        _late.SetResult(CoapResults.Text("late"));

        await _world.RunAsync(asked).Says("late");
        await _world.Clock.AdvanceUntilAsync(
            () => OscoreWorld.IsWiped(_client) && OscoreWorld.IsWiped(_server), FromMinutes(1));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_context_of_an_observation_is_wiped_when_either_end_has_ended_the_observation(bool isServer)
    {
        CoapObservation observation = await _world.RunAsync(_asker.ObserveAsync(OscoreWorld.ServerUri + "/state"));
        _ofClient.RemoveAndWipe(_client);
        _ofServer.RemoveAndWipe(_server);
        _state = "two";
        _route.Notify();
        await _world.Clock.AdvanceUntilAsync(() => observation.Latest!.GetText() == "two", FromMinutes(1));
        Assert.Equal((false, false), (OscoreWorld.IsWiped(_client), OscoreWorld.IsWiped(_server)));

        if (isServer)
        {
            _state = "end";
            _route.Notify();
            await _world.Clock.AdvanceUntilAsync(
                () => observation.Latest!.Code == CoapCode.InternalServerError, FromMinutes(1));
        }

        await observation.DisposeAsync();
        await _world.Clock.AdvanceUntilAsync(
            () => OscoreWorld.IsWiped(_client) && (!isServer || OscoreWorld.IsWiped(_server)), FromMinutes(10));
    }

    [Fact]
    public async Task A_context_disposed_while_a_request_is_served_sends_no_response()
    {
        Task<CoapResponse> asked = _asker.SendAsync(new CoapRequest(CoapMethod.Get, OscoreWorld.ServerUri + "/late"));
        await _world.Clock.AdvanceUntilAsync(() => _world.Wire.Any(message => message.IsEmpty), FromMinutes(1));
        int sent = _world.Wire.Count;

        await _server.DisposeAsync();
        _late.SetResult(CoapResults.Text("late"));

        await Assert.ThrowsAsync<CoapTimeoutException>(() => _world.RunAsync(asked));
        Assert.Equal(sent, _world.Wire.Count);
        Assert.Equal(0, _origin.Endpoint.Counters[CoapCounter.StageErrors]);
    }

    [Fact]
    public async Task A_removed_context_is_wiped_when_its_client_rejects_a_notification()
    {
        CoapObservation observation = await _world.RunAsync(_asker.ObserveAsync(OscoreWorld.ServerUri + "/state"));
        _ofServer.RemoveAndWipe(_server);
        Assert.False(OscoreWorld.IsWiped(_server));

        // As from a client that has begun anew: it rejects what it does not know.
        await _asker.DisposeAsync();
        using ScriptedPeer anew = _world.Network.CreatePeer(
            InMemoryNetwork.Address("[2001:db8::2]:50000"), InMemoryNetwork.Address("[2001:db8::1]:5683"));
        anew.Responder = received =>
        {
            anew.Reset(received);
            return true;
        };
        _state = "two";
        _route.Notify();

        await _world.Clock.AdvanceUntilAsync(() => OscoreWorld.IsWiped(_server), FromMinutes(10));
        await observation.DisposeAsync();
    }

    [Fact]
    public void Observations_that_ended_silently_are_not_kept()
    {
        OscoreServerExchangeTable served = new(maxWaiting: 1024);
        for (int i = 0; i < 5_000; i++)
        {
            CoapToken token = new(BitConverter.GetBytes(i));
            served.Add(token, new OscoreRequestId([1], (ulong)i), registers: true);
            served.OnAnswered(token, isNotification: true);
            Assert.Equal(1, served.Open);
            served.OnObserverGone(token);
            Assert.Equal((0, 0), (served.Open, served.Count));
        }
    }
}
