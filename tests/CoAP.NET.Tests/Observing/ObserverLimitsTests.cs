using CoAP.NET.Diagnostics;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Tests.Observing;

/// <summary>The limits of observers of a route or of one of its resources: their number, and how often they are checked.</summary>
public sealed class ObserverLimitsTests : ServerObserveTest
{
    private readonly Dictionary<string, CoapResourceObserverLimits> _limits = new(StringComparer.Ordinal)
    {
        ["a"] = new CoapResourceObserverLimits(),
        ["b"] = new CoapResourceObserverLimits(),
    };

    private readonly List<CoapObserverChange> _went = [];

    [Theory]
    [Rfc("7641-4.5-3")]
    [InlineData(60)]
    [InlineData(3600)]
    public async Task ConfirmableEvery_limits_the_time_an_observer_may_go_without_an_acknowledgement(int seconds)
    {
        Server.MapGet("/obs", () => CoapResults.Text("0")).Observable(observe =>
        {
            observe.Confirmable = false;
            observe.ConfirmableEvery = FromSeconds(seconds);
        });
        await StartAsync();
        Register(Peer);
        Pass(seconds - 5);
        Assert.Empty(TakeNew());
        Pass(6);
        CoapMessage check = TakeOne();
        Assert.Equal(CoapMessageType.Confirmable, check.Type);
        Acknowledge(Peer, check);
        Pass(seconds - 5);
        Assert.Empty(TakeNew());
        Pass(6);
        Assert.Equal(CoapMessageType.Confirmable, TakeOne().Type);
        Pass(300);
        AssertNobody();
    }

    [Fact]
    public async Task A_resource_class_can_set_ConfirmableEvery()
    {
        Server.Map(new Checked { Observable = new() { ConfirmableEvery = FromMinutes(1) } });
        await StartAsync();
        Register(Peer);
        Pass(61);
        Assert.Equal(CoapMessageType.Confirmable, TakeOne().Type);
    }

    [Fact]
    public void ConfirmableEvery_is_at_least_a_second_and_at_most_a_day()
    {
        CoapRouteHandlerBuilder route = MapState();
        Assert.Throws<ArgumentOutOfRangeException>(() => route
            .Observable(observe => observe.ConfirmableEvery = FromMilliseconds(999)));
        Assert.Throws<ArgumentOutOfRangeException>(() => route.Observable(observe => observe.ConfirmableEvery = FromHours(25)));
        CoapResourceObserverLimits limits = new() { ConfirmableEvery = FromSeconds(1) };
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.ConfirmableEvery = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.MaxObservers = -1);
        Assert.Equal((FromSeconds(1), null), (limits.ConfirmableEvery, limits.MaxObservers));
    }

    [Fact]
    public async Task Each_resource_of_a_route_has_its_own_ConfirmableEvery_and_changes_apply_to_current_observers()
    {
        Map();
        await StartAsync();
        _limits["a"].ConfirmableEvery = FromMinutes(1);
        Register(Peer, "/t/a", "0a");
        Register(Other, "/t/b", "0b");
        Pass(61);
        (CoapAddress peer, CoapMessage check) = Assert.Single(TakeNew());
        Assert.Equal(Peer, peer);
        Acknowledge(Peer, check);
        _limits["b"].ConfirmableEvery = FromMinutes(2);
        Pass(60);
        Assert.Contains(TakeNew(), sent => sent.Peer == Other && sent.Message.Type == CoapMessageType.Confirmable);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task At_MaxObservers_a_registration_is_answered_without_Observe_until_an_observer_leaves(int shards)
    {
        Options.Transports.Shards = shards;
        Map();
        await StartAsync();
        _limits["a"].MaxObservers = 2;
        Register(PeerNumber(1), "/t/a");
        Register(PeerNumber(2), "/t/a");
        CoapMessage plain = Ask(PeerNumber(3), "/t/a")!;
        Assert.Equal((CoapCode.Content, null, "0"), (plain.Code, NumberOf(plain), TextOf(plain)));
        Register(PeerNumber(3), "/t/b");
        Assert.Equal((2, 1, 1),
            (_limits["a"].Count, _limits["b"].Count, Server.Counters[CoapCounter.RegistrationsRefused]));
        Ask(PeerNumber(2), "/t/a", observe: 1);
        Register(PeerNumber(3), "/t/a", "77");
        Assert.Equal(2, _limits["a"].Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task At_MaxObservers_a_registered_observer_may_register_again(int shards)
    {
        Options.Transports.Shards = shards;
        Map();
        await StartAsync();
        _limits["a"].MaxObservers = 2;
        Register(PeerNumber(1), "/t/a");
        Register(PeerNumber(2), "/t/a");

        Register(PeerNumber(1), "/t/a");

        Assert.Equal((2, 0), (_limits["a"].Count, Server.Counters[CoapCounter.RegistrationsRefused]));
    }

    [Fact]
    public async Task A_token_reused_for_a_resource_at_MaxObservers_ends_its_previous_observation()
    {
        Map();
        await StartAsync();
        _limits["a"].MaxObservers = 0;
        Register(Peer, "/t/b");
        Assert.Null(NumberOf(Ask(Peer, "/t/a")!));
        Assert.Equal((0, 0), (_limits["a"].Count, _limits["b"].Count));
        AssertNobody();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_source_with_all_observers_of_a_resource_loses_observers_to_another_source_until_both_have_equally_many(int shards)
    {
        Options.Transports.Shards = shards;
        Map();
        await StartAsync();
        _limits["a"].MaxObservers = 4;
        for (int i = 0; i < 6; i++)
        {
            Ask(Peer, "/t/a", token: $"{i:x2}");
            Pass(1);
        }

        Assert.Equal(4, _limits["a"].Count);
        TakeNew();
        Register(Other, "/t/a", "0a");
        Assert.Equal(4, _limits["a"].Count);
        Settle();
        CoapObserverChange went = Assert.Single(_went);
        Assert.Equal((Peer.ToIPAddress(), CoapObserverEnd.Replaced), (went.Peer.Address.ToIPAddress(), went.End));

        // Two and two: nobody has two fewer than another.
        Register(Other, "/t/a", "0b");
        Assert.Null(NumberOf(Ask(Other, "/t/a", token: "0c")!));
        Assert.Null(NumberOf(Ask(Peer, "/t/a", token: "33")!));
        Assert.Equal((4, 2), (_limits["a"].Count, _went.Count));
    }

    [Fact]
    public async Task At_MaxObservers_of_2_a_source_with_both_observers_loses_one_to_another_source()
    {
        Map();
        await StartAsync();
        _limits["a"].MaxObservers = 2;
        Register(Peer, "/t/a", "01");
        Register(Peer, "/t/a", "02");

        Register(Other, "/t/a", "0a");

        Settle();
        Assert.Equal(Peer.ToIPAddress(), Assert.Single(_went).Peer.Address.ToIPAddress());
        Assert.Equal(2, _limits["a"].Count);
    }

    [Fact]
    public async Task An_observer_removed_by_a_lower_MaxObservers_gets_4_04()
    {
        Map();
        await StartAsync();
        Register(Peer, "/t/a", "01");
        Pass(1);
        Register(Peer, "/t/a", "02");
        Pass(1);
        Register(Other, "/t/a", "03");
        _limits["a"].MaxObservers = 2;
        Settle();
        CoapMessage last = TakeOne();
        Assert.Equal((CoapCode.NotFound, "01", null), (last.Code, last.Token.ToString(), NumberOf(last)));
        _limits["a"].MaxObservers = 0;
        Settle();
        Assert.Equal((0, 3), (_limits["a"].Count, _went.Count));
        _limits["a"].MaxObservers = null;
        Register(Other, "/t/a", "04");
    }

    [Fact]
    public async Task Every_removal_of_an_observer_frees_its_place()
    {
        CoapRouteHandlerBuilder route = Map();
        await StartAsync();
        Register(Peer, "/t/a", "01");
        Register(Peer, "/t/a", "02");
        Register(Peer, "/t/a", "03");
        Register(Peer, "/t/b", "03");
        Assert.Equal((2, 1), (_limits["a"].Count, _limits["b"].Count));
        route.Notify();
        Settle();
        Reset(Peer, TakeNew()[0].Message);
        Pass(300);
        Assert.Equal((0, 0), (_limits["a"].Count, _limits["b"].Count));
        Register(Peer, "/t/a", "01");
        route.Unmap();
        Assert.Equal(0, _limits["a"].Count);
        AssertNobody();
    }

    [Fact]
    public async Task Observer_limits_shared_by_two_resources_give_5_00_and_are_logged()
    {
        CoapResourceObserverLimits limits = new();
        Server.MapGet("/t/{id}", () => CoapResults.Text("0")).Observable().WithObserverLimits(_ => limits);
        await StartAsync();
        Register(Peer, "/t/a");
        Assert.Equal(CoapCode.InternalServerError, Ask(Other, "/t/b")!.Code);
        Assert.Contains(Logs.Entries, static entry => entry.Text.Contains("/t/b", Ordinal));
    }

    [Theory]
    [InlineData("/t/{id}", "/t/a%", "/t/a%25", "/t/c")]
    [InlineData("/t/{*rest}", "/t/a/b%", "/t/a/b%25", "/t/a")]
    public async Task Notify_with_route_values_notifies_only_the_resource_with_these_values(
        string template, string path, string escaped, string other)
    {
        CoapRouteValues? values = null;
        CoapRouteHandlerBuilder route = Server.MapGet(template, request =>
        {
            values = request.Path == "/t/c" || request.Path == "/t/a" ? values : request.Route;
            return CoapResults.Text("0");
        }).Observable();
        await StartAsync();
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        Register(Peer, path);
        Register(Other, other);
        Assert.Equal(1, route.Notify(values!));
        Assert.Equal([escaped], follower.Changes);
        Assert.Throws<KeyNotFoundException>(() => route.Notify(CoapRouteValues.Empty));
    }

    [Fact]
    public async Task NotifyHere_notifies_local_observers_and_no_change_follower()
    {
        CoapRouteHandlerBuilder route = Map();
        await StartAsync();
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        Register(Peer, "/t/a");
        Assert.Equal((1, 0), (route.NotifyHere("/t/a"), route.NotifyHere("/t/%62")));
        Settle();
        Acknowledge(Peer, TakeOne());
        Assert.Empty(follower.Changes);
        Server.Notify("/t/a");
        Assert.Equal(["/t/a"], follower.Changes);
    }

    private CoapRouteHandlerBuilder Map()
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/t/{id}", () => CoapResults.Text(State)).Observable()
            .WithObserverLimits(request => _limits.GetValueOrDefault(request.Route["id"]));
        route.ObserverRemoved += (_, change) => _went.Add(change);
        return route;
    }

    private sealed class Checked() : CoapResource("/obs")
    {
        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(CoapResults.Text("0"));
    }

    private sealed class Follower : ICoapChangeListener
    {
        public List<string> Changes { get; } = [];

        public void Changed(string name) => Changes.Add(name);

        public void ObservedChanged()
        {
        }
    }
}
