using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Observing;

/// <summary>What a server is told of the observers of its routes, and how many there are.</summary>
public sealed class ObserverEventTests : ServerObserveTest
{
    private readonly List<string> _events = [];

    [Fact]
    public async Task Observers_that_are_added_acknowledge_and_are_removed_raise_events_and_are_counted_by_route()
    {
        CoapRouteHandlerBuilder route = Listen(MapState());
        CoapRouteHandlerBuilder other = MapState("/other");
        await StartAsync();
        Register(Peer);
        Register(Other);
        Assert.Equal((2, 0), (route.ObserverCount, other.ObserverCount));
        Change(route, "1");
        (CoapAddress to, CoapMessage message) = TakeNew().Single(item => item.Peer == Peer);
        Acknowledge(to, message);
        Ask(Peer, "/obs", observe: 1);
        Assert.Equal(["came 192.0.2.1 /obs 1", "came 192.0.2.2 /obs 2", "acknowledged 192.0.2.1 /obs 2",
            "went 192.0.2.1 /obs 1 Deregistered"], _events);
        Assert.Equal(1, route.ObserverCount);
    }

    [Fact]
    public async Task A_repeated_registration_raises_no_event_and_a_registration_for_another_resource_does()
    {
        CoapRouteHandlerBuilder route = Listen(MapState());
        MapState("/other");
        await StartAsync();
        Register(Peer);
        Register(Peer);
        Assert.Equal(["came 192.0.2.1 /obs 1"], _events);
        Register(Peer, "/other");
        Assert.Equal("went 192.0.2.1 /obs 0 Replaced", _events[^1]);
        Assert.Equal(0, route.ObserverCount);
    }

    [Fact]
    public async Task The_state_stored_for_an_observer_is_in_its_later_events_until_removal()
    {
        CoapRouteHandlerBuilder route = MapState();
        int came = 0;
        route.ObserverAdded += (_, change) => (change.State, came) = ($"state {came + 1}", came + 1);
        route.ObserverAcknowledged += (_, change) => _events.Add($"acknowledged {AddressOf(change)} {change.State}");
        route.ObserverRemoved += (_, change) => _events.Add($"went {AddressOf(change)} {change.State}");
        await StartAsync();
        Register(Peer);
        Register(Other);

        // It registers again: the same observation.
        Register(Peer);
        Change(route, "1");
        foreach ((CoapAddress to, CoapMessage message) in TakeNew())
        {
            Acknowledge(to, message);
        }

        Ask(Peer, "/obs", observe: 1);
        Assert.Equal(["acknowledged 192.0.2.1 state 1", "acknowledged 192.0.2.2 state 2"], _events[..2].Order());
        Assert.Equal("went 192.0.2.1 state 1", _events[^1]);

        Register(Peer);
        Ask(Peer, "/obs", observe: 1);
        Assert.Equal("went 192.0.2.1 state 3", _events[^1]);
        Assert.Equal(3, came);
    }

    [Fact]
    public async Task An_observer_event_without_stored_state_has_null_state()
    {
        CoapRouteHandlerBuilder route = MapState();
        route.ObserverRemoved += (_, change) => _events.Add($"went {change.State ?? "none"}");
        await StartAsync();
        Register(Peer);
        Ask(Peer, "/obs", observe: 1);
        Assert.Equal(["went none"], _events);
    }

    [Fact]
    public async Task ObserverRemoved_has_the_reason_of_the_removal()
    {
        CoapResult result = CoapResults.Text("0");
        CoapRouteHandlerBuilder route = Listen(Server.MapGet("/obs", () => result).Observable());
        await StartAsync();

        Register(Peer);
        route.Notify();
        Settle();
        Reset(Peer, TakeOne());
        _events[^1].Ends("Rejected");

        Register(Peer);
        route.Notify();
        Settle();
        Pass(300);
        _events[^1].Ends("Lost");

        Register(Peer);
        result = CoapResults.Forbidden();
        route.Notify();
        Settle();
        _events[^1].Ends("Failed");

        result = CoapResults.Text("0");
        Register(Peer);
        route.Unmap();
        _events[^1].Ends("Unmapped");
        Assert.Equal(0, route.ObserverCount);
    }

    [Fact]
    public async Task The_end_of_a_connection_and_a_stop_remove_their_observers()
    {
        DirectStreamTransport tcp = new();
        Listen(MapState());
        Server.Endpoint.AddTransport(tcp);
        await StartAsync();
        DirectConnection connection = tcp.Accept();
        connection.Receive("00e1");
        connection.Receive("5101aa60536f6273");
        Register(Peer);
        connection.Break();
        _events[^1].Ends("Disconnected");
        await Server.StopAsync();
        _events[^1].Ends("/obs 0 Stopped");
        Assert.Equal(4, _events.Count);
    }

    [Fact]
    public async Task Observers_of_different_paths_of_a_route_are_notified_and_counted_separately()
    {
        CoapRouteHandlerBuilder route =
            Listen(Server.MapGet("/devices/{id}", static request => CoapResults.Text(request.Route["id"])).Observable());
        await StartAsync();
        Register(Peer, "/devices/7");
        Register(Other, "/devices/8");
        Assert.Equal(["came 192.0.2.1 /devices/7 1", "came 192.0.2.2 /devices/8 2"], _events);
        Assert.Equal((1, 1, 0),
            (Server.CountObservers("/devices/7"), Server.CountObservers("devices/8"), Server.CountObservers("/devices/9")));
        Assert.Equal((1, 0, 2), (Server.Notify("/devices/7"), Server.Notify("/devices/9"), route.Notify()));
        Assert.DoesNotContain(Logs.Entries, static entry => entry.Id.Id == 1508);
    }

    [Fact]
    public async Task An_exception_of_an_observer_event_handler_is_logged_and_other_handlers_run()
    {
        CoapRouteHandlerBuilder route = MapState();
        route.ObserverAdded += static (_, _) => throw new InvalidOperationException("mine");
        Listen(route);
        await StartAsync();
        Register(Peer);
        Assert.Single(_events);
        Assert.Contains(Logs.Entries, static entry => entry.Id.Id == 1763 && entry.Text.Contains("ObserverAdded", Ordinal));
        Assert.Equal(1, Server.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task An_observer_event_handler_may_call_Notify_and_events_are_never_nested()
    {
        CoapRouteHandlerBuilder route = MapState();
        int depth = 0;
        int deepest = 0;
        route.ObserverAdded += (sender, _) =>
        {
            deepest = Math.Max(deepest, ++depth);
            Assert.Same(route, sender);
            route.Notify();
            if (route.ObserverCount == 1)
            {
                // A client comes while a handler runs.
                Transport.Receive(Other, "41017d354b60536f6273");
            }

            _events.Add($"{route.ObserverCount}");
            depth--;
        };
        await StartAsync();
        Register(Peer);
        Assert.Equal(1, deepest);
        Assert.Equal(["2", "2"], _events);
    }

    [Fact]
    public async Task The_number_of_events_that_wait_for_a_slow_handler_is_bounded()
    {
        Options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("10.0.0.0/8"));
        CoapRouteHandlerBuilder route = MapState();
        bool first = true;
        int told = 0;
        route.ObserverAdded += (_, _) =>
        {
            told++;
            if (first)
            {
                first = false;
                for (int i = 0; i < 5_000; i++)
                {
                    Transport.Receive(PeerNumber(i), "41017d354b60536f6273");
                }
            }
        };
        await StartAsync();
        Register(Peer);
        Assert.Equal(5_001, route.ObserverCount);
        Assert.Equal(UserCodePolicy.MaxWaiting + 1, told);
        Assert.Equal(5_000 - UserCodePolicy.MaxWaiting, Server.Counters[CoapCounter.HandlerErrors]);
    }

    [Fact]
    public async Task Notify_for_a_path_that_cannot_be_observed_is_logged_once_a_minute()
    {
        CoapRouteHandlerBuilder plain = Server.MapGet("/plain", static () => "x");
        await StartAsync();
        Assert.Equal(0, Server.Notify("/typo"));
        Assert.Equal(0, Server.Notify("/plain"));
        Assert.Single(Logs.Entries, static entry => entry.Id.Id == 1508).Text.Mentions("/typo");
        Pass(61);
        Assert.Equal(0, plain.Notify());
        Assert.Equal(0, plain.Notify());
        Assert.Contains("not Observable()",
            Assert.Single(Logs.Entries,
                static entry => entry.Id.Id == 1508 && entry.Text.Contains("/plain", Ordinal)).Text,
            Ordinal);
    }

    private CoapRouteHandlerBuilder Listen(CoapRouteHandlerBuilder route)
    {
        route.ObserverAdded += (_, change) => _events.Add($"came {AddressOf(change)} {change.Path} {route.ObserverCount}");
        route.ObserverRemoved += (_, change) => _events.Add($"went {AddressOf(change)} {change.Path} {route.ObserverCount} {change.End}");
        route.ObserverAcknowledged += (_, change) => _events.Add($"acknowledged {AddressOf(change)} {change.Path} {route.ObserverCount}");
        return route;
    }

    private static string AddressOf(CoapObserverChange change) => change.Peer.Address.ToIPAddress().ToString();
}
