using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

/// <summary>
/// How the pace of Non-confirmable notifications finds the round-trip time: RFC 7641 section 4.5.1. The resource changes ten times a
/// second.
/// </summary>
public sealed class PacingTests : ServerObserveTest
{
    private readonly Dictionary<CoapAddress, List<SentNotification>> _told = [];
    private readonly List<(double At, CoapAddress Peer, CoapMessage Message)> _due = [];
    private int _state;
    private double _now;

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task The_first_delayed_notification_is_Confirmable_and_sets_the_pace_by_its_round_trip_time()
    {
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Listen(route, 30, 0.25);
        List<SentNotification> told = _told[Peer];
        Assert.Equal(CoapMessageType.NonConfirmable, told[0].Type);
        Assert.Equal(CoapMessageType.Confirmable, told[1].Type);
        Assert.InRange(told[1].At - told[0].At, 2.99, 3.02);

        // Every quarter of a second from there on, but for the steps in which all this goes, and each with the newest state.
        Assert.InRange(told.Count, 2 + 90, 2 + 118);
        Assert.All(told.Skip(2).Zip(told.Skip(3)), pair => Assert.InRange(pair.Second.At - pair.First.At, 0.225, 0.31));
        Assert.All(told, one => Assert.InRange((one.At * 10) - one.State, -0.01, 2));
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task A_Confirmable_notification_is_sent_once_a_minute_while_the_pace_is_fast()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Listen(route, 200, 0.25);
        double[] confirmable = [.. _told[Peer].Where(one => one.IsConfirmable).Select(one => one.At)];
        Assert.Equal(4, confirmable.Length);
        Assert.All(confirmable.Zip(confirmable.Skip(1)), pair => Assert.InRange(pair.Second - pair.First, 60, 62));
    }

    [Fact]
    [Rfc("7641-4.5.1-2", "7641-4.5-2")]
    public async Task A_client_that_went_away_in_a_fast_stream_is_removed_within_minutes()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Listen(route, 10, 0.25);
        Listen(route, 60 + 100, double.PositiveInfinity);
        AssertNobody();
        Assert.Equal(5, _told[Peer].Count(one => one.IsConfirmable && one.At > 10));
    }

    [Fact]
    [Rfc("7641-4.5-2", "7641-4.5.1-1")]
    public async Task A_client_that_acknowledges_no_notification_is_removed_after_the_last_retransmission()
    {
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Listen(route, 100, double.PositiveInfinity);
        AssertNobody();
        Assert.Equal([false, true, true, true, true, true], _told[Peer].Select(one => one.IsConfirmable));
    }

    [Fact]
    [Rfc("7641-4.5.1-1", "7641-4.5.1-2")]
    public async Task Only_a_single_observation_of_a_client_is_Confirmable_at_a_time_and_others_wait_three_seconds()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        Options.Parameters = new CoapTransmissionParameters { NStart = 5 };
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Register(Peer, token: "4b");
        Register(Peer, token: "4c");
        Listen(route, 40, double.PositiveInfinity);
        List<SentNotification> told = _told[Peer];
        Assert.Single(told.Where(one => one.IsConfirmable).DistinctBy(one => one.Token));
        List<double> apart = [.. told.Where(one => !one.IsConfirmable).Select(one => one.At)];
        Assert.InRange(apart.Count, 10, 14);
        Assert.All(apart.Zip(apart.Skip(1)), pair => Assert.True(pair.Second - pair.First >= 2.99, $"{pair}"));
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task A_client_that_acknowledges_only_retransmissions_is_measured_once_a_minute()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        Listen(route, 180, 3.5);
        double[] first = [.. _told[Peer].Where(one => one.IsConfirmable).Select(one => one.At)];
        Assert.InRange(first.Zip(first.Skip(1)).Count(pair => pair.Second - pair.First > 40), 1, 2);
        Assert.InRange(_told[Peer].Count, 50, 64);
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task A_resource_that_changes_no_faster_than_the_pace_needs_no_round_trip_time()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapRouteHandlerBuilder route = await StartedAsync(Peer);
        for (int i = 0; i < 100; i++)
        {
            Change(route, $"{i}");
            Pass(3.1);
            Assert.Equal(CoapMessageType.NonConfirmable, TakeOne().Type);
        }
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task A_resource_class_may_disable_pacing()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        Meter meter = new();
        Server.Map(meter);
        await StartAsync();
        Register(Peer, "/meter");
        for (int i = 0; i < 200; i++)
        {
            meter.Notify();
            Pass(0.1);
            Assert.All(TakeNew(), sent => Assert.Equal(CoapMessageType.NonConfirmable, sent.Message.Type));
        }

        Assert.InRange(Server.Counters[CoapCounter.NotificationsSent], 6, 8);
    }

    private async Task<CoapRouteHandlerBuilder> StartedAsync(CoapAddress peer)
    {
        CoapRouteHandlerBuilder route = MapState(confirmable: false);
        await StartAsync();
        Register(peer);
        return route;
    }

    /// <summary>
    /// Changes the state ten times a second and acknowledges what is Confirmable after a round-trip time, in steps of 10 ms.
    /// </summary>
    private void Listen(CoapRouteHandlerBuilder route, double seconds, double roundTrip)
    {
        for (int step = 0; step < seconds * 100; step++)
        {
            if (step % 10 == 0)
            {
                State = $"{_state++}";
                route.Notify();
            }

            Settle();
            foreach ((CoapAddress peer, CoapMessage message) in TakeNew())
            {
                if (!_told.TryGetValue(peer, out List<SentNotification>? told))
                {
                    _told.Add(peer, told = []);
                }

                told.Add(new SentNotification(_now, message.Type, message.Token, int.Parse(TextOf(message), null)));
                if (message.Type == CoapMessageType.Confirmable)
                {
                    _due.Add((_now + roundTrip, peer, message));
                }
            }

            _now += 0.01;
            Pass(0.005);
            foreach ((double at, CoapAddress peer, CoapMessage message) in _due.FindAll(one => one.At <= _now))
            {
                Acknowledge(peer, message);
            }

            _due.RemoveAll(one => one.At <= _now);
        }
    }

    private sealed record SentNotification(double At, CoapMessageType Type, CoapToken Token, int State)
    {
        public bool IsConfirmable => Type == CoapMessageType.Confirmable;
    }

    private sealed class Meter : CoapResource
    {
        public Meter()
            : base("/meter")
        {
            Observable = new() { Confirmable = false, Probe = false };
        }

        protected override ValueTask<CoapResult> GetAsync(CoapRequestContext request, CancellationToken cancellationToken) =>
            new(CoapResults.Text("x"));
    }
}
