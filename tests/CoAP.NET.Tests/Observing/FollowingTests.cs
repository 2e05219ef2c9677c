using CoAP.NET.Diagnostics;
using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Tests.Observing;

/// <summary>Who follows the changes of a server: what it is told, what it can take, and what it tells.</summary>
public sealed class FollowingTests : ServerObserveTest
{
    [Fact]
    public async Task A_change_follower_gets_path_and_route_names_that_are_the_same_in_all_processes()
    {
        CoapRouteHandlerBuilder device = Server.Map("/devices/{id}", [CoapMethod.Fetch, CoapMethod.Get], static () => CoapResults.Text("x"))
            .Observable();
        Server.MapDelete("/devices/{id}", static () => CoapResults.Deleted());
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        await StartAsync();

        Server.Notify("/devices/%37");
        device.Notify();
        Server.Notify("/nowhere");
        Ask(Peer, "/devices/8", observe: null, method: CoapMethod.Delete);
        Assert.Equal(["/devices/7", "GET FETCH /devices/{id}", "/devices/8"], follower.Changed);

        feed.Dispose();
        Server.Notify("/devices/7");
        Assert.Equal(3, follower.Changed.Count);
    }

    [Fact]
    public async Task A_change_applied_from_another_process_reaches_local_observers_and_is_not_published_again()
    {
        MapState("/a/{id}");
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        await StartAsync();
        Register(Peer, "/a/1");
        Register(Other, "/a/2");

        State = "1";
        Assert.Equal(1, feed.Apply("/a/1"));
        Settle();
        Acknowledge(Peer, TakeOne());

        Assert.Equal(2, feed.Apply("GET /a/{id}"));
        Settle();
        Assert.Equal(2, TakeNew().Count);
        Assert.Equal(0, feed.Apply("/nowhere"));
        Assert.Equal(0, feed.Apply("GET /nowhere"));
        Assert.Empty(follower.Changed);
    }

    [Fact]
    public async Task A_change_feed_lists_each_observed_path_and_route_once_whatever_the_number_of_observers()
    {
        Options.Transports.Shards = 4;
        MapState("/a/{id}");
        await StartAsync();
        Register(Peer, "/a/1");
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        Assert.Equal(1, follower.Observed);
        Assert.Equal(["+/a/1", "+GET /a/{id}"], Take(feed));

        for (int i = 1; i <= 10; i++)
        {
            Register(PeerNumber(i), "/a/1");
        }

        Assert.Empty(Take(feed));
        Register(PeerNumber(1), "/a/2", "4b");
        Assert.Equal(["+/a/2"], Take(feed));
        int told = follower.Observed;
        Ask(PeerNumber(1), "/a/2", observe: 1, token: "4b");
        Assert.Equal(told + 1, follower.Observed);
        Assert.Equal(["-/a/2"], Take(feed));

        for (int i = 1; i <= 10; i++)
        {
            Ask(PeerNumber(i), "/a/1", observe: 1);
        }

        Assert.Empty(Take(feed));
        Ask(Peer, "/a/1", observe: 1);
        Assert.Equal(["-/a/1", "-GET /a/{id}"], Take(feed));
    }

    [Fact]
    public async Task A_change_feed_that_overflowed_lists_the_observed_paths_and_routes_from_the_current_state()
    {
        MapState("/a/{id}");
        await StartAsync();
        Follower follower = new();
        using ServerToServerChangeFeed feed = Server.FollowChanges(follower);
        Assert.Empty(Take(feed));
        Register(Peer, "/a/1");
        CoapShard shard = Server.Endpoint.Pipelines[0].Shard;
        shard.Enter();
        for (int i = 0; i < 70_000; i++)
        {
            feed.Note($"/b/{i}", shard, isObserved: true);
        }

        shard.ExitAndSend();
        Register(Other, "/a/2");

        Assert.Equal(["+/a/1", "+/a/2", "+GET /a/{id}"], Take(feed).Order(StringComparer.Ordinal));
        Ask(Other, "/a/2", observe: 1);
        Assert.Equal(["-/a/2"], Take(feed));
    }

    [Fact]
    public async Task A_registration_whose_handler_ran_before_the_change_feed_began_gets_the_newest_state()
    {
        TaskCompletionSource<CoapResult> answer = new();
        int runs = 0;
        Server.MapGet("/slow", () => runs++ == 0 ? new ValueTask<CoapResult>(answer.Task) : new(CoapResults.Text("new"))).Observable();
        using ServerToServerChangeFeed feed = Server.FollowChanges(new Follower());
        await StartAsync();
        Assert.Null(Ask(Peer, "/slow"));

        feed.Begin();
        Assert.Empty(Take(feed));
        answer.SetResult(CoapResults.Text("old"));
        await Eventually.IsTrueAsync(() => Server.ObserverCount == 1);
        await Eventually.IsTrueAsync(() =>
        {
            Settle();
            return TakeNew().Any(sent => TextOf(sent.Message) == "new");
        });
    }

    [Fact]
    public async Task An_exception_of_a_change_follower_does_not_affect_notifications_or_other_followers()
    {
        CoapRouteHandlerBuilder route = MapState();
        using ServerToServerChangeFeed feed = Server.FollowChanges(new Follower { Failure = new InvalidOperationException("of the test") });
        Follower follower = new();
        using ServerToServerChangeFeed other = Server.FollowChanges(follower);
        await StartAsync();
        Register(Peer);

        Change(route, "1");

        Assert.Equal("1", TextOf(TakeOne()));
        Assert.Equal(["GET /obs"], follower.Changed);
        Assert.True(Server.Counters[CoapCounter.HandlerErrors] > 0);
    }

    private static List<string> Take(ServerToServerChangeFeed feed)
    {
        List<string> taken = [];
        while (feed.TryTake(out string? name, out bool isObserved))
        {
            taken.Add((isObserved ? "+" : "-") + name);
        }

        taken.Sort(StringComparer.Ordinal);
        return taken;
    }

    private sealed class Follower : ICoapChangeListener
    {
        public Exception? Failure { get; init; }

        public List<string> Changed { get; } = [];

        public int Observed { get; private set; }

        void ICoapChangeListener.Changed(string name)
        {
            Changed.Add(name);
            Throw();
        }

        void ICoapChangeListener.ObservedChanged()
        {
            Observed++;
            Throw();
        }

        private void Throw()
        {
            if (Failure is { } failure)
            {
                throw failure;
            }
        }
    }
}
