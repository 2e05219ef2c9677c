using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Devices;

/// <summary>What observations of all devices are made of: where devices are, what nodes tell each other, and whose turn it is.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FleetPartsTests
{
    private static readonly CoapNodeId s_first = CoapNodeId.New();
    private static readonly CoapNodeId s_second = CoapNodeId.New();

    private readonly VirtualClock _clock = new();

    [Fact]
    public void A_device_that_is_handed_over_is_the_same_all_the_time_and_what_came_last_before_is_told()
    {
        FleetPlaces places = new(TimeSpan.FromSeconds(30), _clock);
        Assert.Equal(CoapDeviceNotificationKind.Came, places.Apply(s_first, Came(), out _)!.Kind);
        Assert.Equal("1", places.Apply(s_first, State("1"), out _)!.Response!.GetText());
        Assert.Null(places.Apply(s_second, Came(), out bool mustBeRead));
        Assert.False(mustBeRead);
        Assert.Equal("2", places.Apply(s_first, State("2"), out _)!.Response!.GetText());
        Assert.Null(places.Apply(s_first, Went(hasMoved: true), out _));
        Assert.Equal("3", places.Apply(s_second, State("3"), out _)!.Response!.GetText());
        Assert.Null(places.Apply(s_first, State("2"), out _));
        Assert.Empty(places.Lose(s_first));
        Assert.False(places.HasAway);
        Assert.Equal(CoapDeviceNotificationKind.Went, places.Apply(s_second, Went(hasMoved: false), out _)!.Kind);
        Assert.Equal(0, places.Count);
    }

    [Fact]
    public void What_a_node_hears_just_after_it_said_that_a_device_went_is_told_unless_the_next_node_has_heard_something_newer()
    {
        FleetPlaces places = new(TimeSpan.FromSeconds(30), _clock);
        places.Apply(s_first, Came(), out _);
        places.Apply(s_first, State("1"), out _);
        places.Apply(s_first, Went(hasMoved: true), out _);
        Assert.Equal("2", places.Apply(s_first, State("2"), out _)!.Response!.GetText());
        places.Apply(s_second, Came(), out _);
        Assert.Equal("3", places.Apply(s_first, State("3"), out _)!.Response!.GetText());
        Assert.Equal("4", places.Apply(s_second, State("4"), out _)!.Response!.GetText());

        Assert.Null(places.Apply(s_first, State("3"), out _));
        Assert.Null(places.Apply(CoapNodeId.New(), State("5"), out _));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void The_state_of_a_device_whose_node_died_is_read_at_the_next_one_whichever_is_known_first(bool isLossFirst)
    {
        FleetPlaces places = new(TimeSpan.FromSeconds(30), _clock);
        places.Apply(s_first, Came(), out _);
        bool mustBeRead;
        if (isLossFirst)
        {
            Assert.Empty(places.Lose(s_first));
            Assert.True(places.HasAway);
            Assert.Null(places.Apply(s_second, Came(), out mustBeRead));
            Assert.True(mustBeRead);
        }
        else
        {
            Assert.Null(places.Apply(s_second, Came(), out mustBeRead));
            Assert.False(mustBeRead);
            Assert.Equal([(s_second, "meter")], places.Lose(s_first));
        }

        Assert.False(places.HasAway);
        Assert.Empty(places.Expire());
    }

    [Fact]
    public void A_device_that_comes_to_no_node_in_time_went()
    {
        FleetPlaces places = new(TimeSpan.FromSeconds(30), _clock);
        places.Apply(s_first, Came(), out _);
        places.Apply(s_first, Went(hasMoved: true), out _);
        _clock.Advance(TimeSpan.FromSeconds(29));
        Assert.Empty(places.Expire());
        _clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(CoapDeviceNotificationKind.Went, Assert.Single(places.Expire()).Kind);
        Assert.Equal((0, false), (places.Count, places.HasAway));
        Assert.Null(places.Apply(s_first, State("late"), out _));
    }

    [Fact]
    public void What_nodes_tell_each_other_is_read_as_it_was_written_and_anything_else_is_nothing()
    {
        CoapMessage message = new(CoapCode.Content) { Payload = new byte[] { 1, 2, 3 } };
        message.Options.Observe = 7;
        message.Options.Accept = CoapContentFormat.Json;
        WatchItem[] items =
        [
            new(CoapDeviceNotificationKind.Came, "a\u0000<b>"),
            new(CoapDeviceNotificationKind.Notified, new string('x', 255), CoapResponse.FromMessage(message)),
            new(CoapDeviceNotificationKind.Refused, "c", null, CoapDeviceRefusal.TooLarge),
            new(CoapDeviceNotificationKind.Went, "d", HasMoved: true),
        ];
        byte[] bytes = WatchWire.Write(9, items);
        (uint number, List<WatchItem> read) = WatchWire.ReadItems(bytes);

        Assert.Equal(9u, number);
        Assert.Equal(items.Select(static item => (item.Kind, item.Device, item.Refusal, item.HasMoved)),
            read.Select(static item => (item.Kind, item.Device, item.Refusal, item.HasMoved)));
        Assert.Equal(new byte[] { 1, 2, 3 }, read[1].Response!.Payload.ToArray());
        Assert.Null(read[1].Response!.Options.Observe);
        Random random = new(1);
        for (int i = 0; i < 20_000; i++)
        {
            byte[] broken = [.. bytes[..random.Next(bytes.Length)]];
            for (int j = random.Next(4); j > 0 && broken.Length > 0; j--)
            {
                broken[random.Next(broken.Length)] = (byte)random.Next(256);
            }

            WatchWire.ReadItems(broken);
            WatchWire.ReadPoll(broken);
            WatchWire.ReadNames(broken);
        }
    }

    [Fact]
    public async Task Those_that_are_tried_again_have_every_fourth_turn_and_who_gave_up_takes_none()
    {
        using RegistrationPace pace = new(1_000, 1, _clock);
        await pace.EnterAsync(isFirst: true, default);
        using CancellationTokenSource stop = new();
        Task left = pace.EnterAsync(isFirst: true, stop.Token);
        List<string> order = [];
        List<Task> turns = [];
        for (int i = 0; i < 6; i++)
        {
            turns.Add(TakeAsync(pace, "first", true, order));
        }

        for (int i = 0; i < 3; i++)
        {
            turns.Add(TakeAsync(pace, "again", false, order));
        }

        Assert.Equal(10, pace.WaitingCount);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => left);
        Assert.Equal(9, pace.WaitingCount);
        pace.Leave();
        await _clock.AdvanceUntilAsync(Task.WhenAll(turns), TimeSpan.FromMinutes(1));

        Assert.Equal(0, pace.UnderWay);
        Assert.Contains("again", order.Take(4));
        Assert.Equal(1, order.Take(4).Count(static one => one == "again"));
    }

    [Fact]
    public async Task So_many_that_never_answer_hold_no_more_than_their_places_and_leave_nothing_behind()
    {
        using RegistrationPace pace = new(100_000, 500, _clock);
        using CancellationTokenSource stop = new();
        List<Task> silent = [];
        for (int i = 0; i < 200_000; i++)
        {
            silent.Add(pace.EnterAsync(isFirst: true, stop.Token));
        }

        await _clock.AdvanceUntilAsync(() => pace.UnderWay == 500, TimeSpan.FromMinutes(1));
        _clock.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal((500, 199_500), (pace.UnderWay, pace.WaitingCount));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Task.WhenAll(silent));

        Assert.Equal((500, 0), (pace.UnderWay, pace.WaitingCount));
        Assert.Equal(500, silent.Count(static one => one.IsCompletedSuccessfully));
    }

    private static async Task TakeAsync(RegistrationPace pace, string name, bool isFirst, List<string> order)
    {
        await pace.EnterAsync(isFirst, default);
        lock (order)
        {
            order.Add(name);
        }

        pace.Leave();
    }

    private static WatchItem Came() => new(CoapDeviceNotificationKind.Came, "meter");

    private static WatchItem Went(bool hasMoved) => new(CoapDeviceNotificationKind.Went, "meter", HasMoved: hasMoved);

    private static WatchItem State(string state) => new(CoapDeviceNotificationKind.Notified, "meter",
        CoapResponse.FromMessage(new CoapMessage(CoapCode.Content) { Payload = System.Text.Encoding.UTF8.GetBytes(state) }));
}
