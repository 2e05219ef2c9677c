using System.Runtime.CompilerServices;
using CoAP.NET.Diagnostics;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 7, in the role of a server.
public class ObserveOnStreamsTests : BodiesOnStreamsTest
{
    private const string Register = "51011060536f6273";
    private const string Deregister = "6101106101536f6273";

    private string State { get; set; } = "0";

    private int Runs { get; set; }

    [Fact]
    [Rfc("8323-7.1-1", "7641-8323-1")]
    public async Task A_registration_is_answered_with_the_state_and_every_change_follows()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        // Token 10, Observe, Content-Format, Max-Age.
        Assert.Matches("^a1451063......60220258ff30$", AskHex(connection, Register));
        Change(route, "1");
        Assert.Matches("^a1451063......60220258ff31$", Assert.Single(connection.TakeSent()));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_notification_is_sent_immediately_when_the_connection_has_room(bool confirmable)
    {
        CoapRouteHandlerBuilder route = MapState(confirmable);
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("51011060536f6273 51011160536f6273".Replace(" ", string.Empty, Ordinal));
        connection.TakeSent();

        for (int i = 1; i <= 30; i++)
        {
            // No time passes but the tick in which it happens: no NSTART, no pace, no number that may be without acknowledgement.
            Change(route, $"{i}");
            Assert.Equal([$"{i}", $"{i}"], connection.TakeSent().Select(TextOf));
        }

        Assert.Equal(30 + 2, Runs);
    }

    [Fact]
    public async Task An_observer_gets_no_notification_while_the_state_does_not_change()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);
        Assert.False(Assert.Single(Observers()).IsScheduled);

        for (int day = 0; day < 3; day++)
        {
            Clock.Advance(FromDays(1));
        }

        Assert.DoesNotContain(connection.TakeSent(), hex => Frames.Read(hex).Code.IsResponse);
        if (!connection.IsClosed)
        {
            Change(route, "1");
            Assert.Equal("1", TextOf(Assert.Single(connection.TakeSent())));
        }
    }

    [Fact]
    public async Task A_route_with_Refresh_sends_notifications_on_connections_before_MaxAge()
    {
        Server.MapGet("/obs", () => CoapResults.Text(State)).Observable(observe =>
        {
            observe.MaxAge = FromSeconds(60);
            observe.Refresh = true;
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);

        Clock.Advance(FromSeconds(55));

        Assert.Equal("0", TextOf(Assert.Single(connection.TakeSent(), hex => Frames.Read(hex).Code == CoapCode.Content)));
    }

    [Fact]
    public async Task A_full_connection_gets_only_the_newest_state_when_the_connection_has_room()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);
        connection.IsFull = true;

        for (int i = 1; i <= 5; i++)
        {
            Change(route, $"{i}");
        }

        connection.HasSentNothing();

        // The answer, and one run after which there was no room: nobody could be told of more.
        Assert.Equal(2, Runs);
        connection.BecomeWritable();
        Settle();
        Assert.Equal(["5"], connection.TakeSent().Select(TextOf));
        Assert.Equal(3, Runs);

        Change(route, "6");
        Assert.Equal("6", TextOf(Assert.Single(connection.TakeSent())));
    }

    [Fact]
    public async Task A_stalled_observer_does_not_delay_other_observers()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection[] stalled = [.. Enumerable.Range(0, 20).Select(_ => Connect())];
        DirectConnection live = Connect();
        foreach (DirectConnection connection in stalled.Append(live))
        {
            AskHex(connection, Register);
        }

        Array.ForEach(stalled, connection => connection.IsFull = true);
        int runs = Runs;
        for (int i = 1; i <= 10; i++)
        {
            Change(route, $"{i}");
            Assert.Equal($"{i}", TextOf(Assert.Single(live.TakeSent())));
        }

        Assert.Equal(runs + 10, Runs);

        // After the first change only the one that takes something is looked at.
        Assert.Equal(1, Observers().Select(observer => observer.Subject).Distinct().Single().Reachable);
        Array.ForEach(stalled, connection => connection.BecomeWritable());
        Settle();
        Assert.All(stalled, connection => Assert.Equal("10", TextOf(Assert.Single(connection.TakeSent()))));
        Assert.Equal(runs + 10, Runs);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.NotificationsSuperseded]);
        Change(route, "11");
        Assert.All(stalled, connection => Assert.Equal("11", TextOf(Assert.Single(connection.TakeSent()))));
    }

    [Fact]
    public async Task States_that_a_stalled_observer_would_have_received_are_collected()
    {
        List<WeakReference> states = [];
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => Make(states)).Observable();
        await StartStreamsAsync();
        DirectConnection stalled = Connect();
        DirectConnection live = Connect();
        AskHex(stalled, Register);
        AskHex(live, Register);
        stalled.IsFull = true;

        for (int i = 0; i < 4; i++)
        {
            Change(route, string.Empty);
            Assert.Single(live.TakeSent());
        }

        Change(route, string.Empty);
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();

        // Answers to both, five changes; the newest is kept for all, and another may lie on a stack.
        Assert.Equal(7, states.Count);
        Assert.InRange(states.Count(state => state.IsAlive), 1, 3);
        stalled.Break();
    }

    [Fact]
    public async Task The_response_to_a_registration_waits_for_room_on_the_connection()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.IsFull = true;

        connection.Receive(Register);
        connection.HasSentNothing();
        Change(route, "1");
        connection.HasSentNothing();

        connection.BecomeWritable();
        Settle();
        string[] sent = [.. connection.TakeSent().Select(TextOf)];
        Assert.Equal("1", sent[^1]);
        Assert.InRange(sent.Length, 1, 2);
    }

    [Fact]
    public async Task Responses_that_wait_for_a_full_connection_are_sent_a_part_at_a_time_as_the_peer_reads()
    {
        const int Count = 40;
        MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.IsFull = true;
        for (int token = 0; token < Count; token++)
        {
            connection.Receive($"5101{token:x2}60536f6273");
        }

        // The peer takes some frames at a time, and not all that wait.
        connection.OnSent = _ => connection.IsFull = true;
        int most = 0;
        int sent = 0;
        for (int times = 0; times < Count && sent < Count; times++)
        {
            connection.BecomeWritable();
            int now = connection.TakeSent().Length;
            most = Math.Max(most, now);
            sent += now;
        }

        Assert.Equal(Count, sent);
        Assert.InRange(most, 1, Count / 2);
    }

    [Fact]
    [Rfc("8323-7.4-1", "7641-8323-2")]
    public async Task A_GET_with_Observe_1_ends_an_observation()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);

        Assert.Equal("414510c0ff30".Length, AskHex(connection, Deregister).Length);
        Assert.Equal(0, Server.ObserverCount);
        Change(route, "1");
        connection.HasSentNothing();
    }

    [Theory]
    [Rfc("8323-7.4-1", "7641-8323-2")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_end_of_a_connection_ends_its_observations_and_no_others(bool isStalled)
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        DirectConnection other = Connect();
        CoapChannel channel = connection.Channel!;
        for (int i = 0; i < 100; i++)
        {
            connection.Receive($"5101{i:x2}60536f6273");
        }

        AskHex(other, Register);
        Assert.Equal(101, Server.ObserverCount);
        connection.IsFull = isStalled;
        if (isStalled)
        {
            Change(route, "1");
            other.TakeSent();
        }
        else
        {
            State = "1";
            route.Notify();
        }

        connection.TakeSent();
        connection.Break();
        Settle();

        Assert.Equal(1, Server.ObserverCount);
        Assert.Null(PeerObservers.Of(channel));
        Assert.Equal(0, channel.Pins);
        connection.HasSentNothing();
        other.TakeSent();
        Change(route, "2");
        Assert.Equal("2", TextOf(Assert.Single(other.TakeSent())));
    }

    [Fact]
    public async Task An_error_response_ends_an_observation()
    {
        bool isGone = false;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => isGone ? CoapResults.NotFound() : CoapResults.Text("0")).Observable();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);

        isGone = true;
        Change(route, string.Empty);

        connection.HasSent("018410");
        Assert.Equal(0, Server.ObserverCount);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_changed_content_format_ends_an_observation_with_4_06(bool isStalled)
    {
        bool isJson = false;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            () => CoapResults.Bytes(new byte[] { 1 }, isJson ? CoapContentFormat.Json : CoapContentFormat.TextPlain)).Observable();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        DirectConnection live = Connect();
        AskHex(connection, Register);
        AskHex(live, Register);
        connection.IsFull = isStalled;
        Change(route, string.Empty);
        connection.TakeSent();

        isJson = true;
        Change(route, string.Empty);
        connection.BecomeWritable();
        Settle();

        connection.HasSent("018610");
        Assert.Equal(0, Server.ObserverCount);
    }

    [Fact]
    public async Task A_route_that_is_removed_ends_its_observations()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        AskHex(connection, Register);

        Assert.True(route.Unmap());

        connection.HasSent("018410");
    }

    [Fact]
    [Rfc("8323-5.3.1-1", "8323-6-1")]
    public async Task Each_observer_gets_notifications_that_fit_its_Max_Message_Size()
    {
        byte[] body = Frames.Bytes(5000);
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => CoapResults.Bytes(body)).Observable();
        await StartStreamsAsync();
        DirectConnection large = Connect();
        DirectConnection bert = Connect(Frames.Csm(2300));
        DirectConnection small = Connect(Frames.Csm(1152));
        DirectConnection bare = Connect(BareCsm);
        DirectConnection[] all = [large, bert, small, bare];
        Assert.All(all, connection => connection.Receive(Register));
        for (int i = 0; i < 2; i++)
        {
            CoapMessage[] sent = [.. all.Select(connection => Frames.Read(Assert.Single(connection.TakeSent())))];
            Assert.Equal([null, "0f", "0e", "0e"], sent.Select(Frames.Block2Of));
            Assert.Equal([5000, 2048, 1024, 1024], sent.Select(message => message.Payload.Length));
            Assert.All(sent, message => Assert.True(message.Options.Contains(OptionNumber.Observe)));
            Change(route, string.Empty);
        }

        Assert.Equal(4, Server.ObserverCount);
    }

    [Theory]
    [Rfc("8323-5.3-1", "8323-5.3.1-1")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_later_CSM_changes_the_size_of_notifications(bool isStalled)
    {
        byte[] body = Frames.Bytes(5000);
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => CoapResults.Bytes(body)).Observable();
        await StartStreamsAsync();
        DirectConnection first = Connect();
        DirectConnection second = Connect();
        Assert.Null(Frames.Read(AskHex(first, Register)).Block2Of());
        AskHex(second, Register);
        first.IsFull = isStalled;
        if (isStalled)
        {
            Change(route, string.Empty);
            second.TakeSent();
        }

        first.Receive(Frames.Csm(1152));
        if (isStalled)
        {
            first.BecomeWritable();
            Settle();
        }
        else
        {
            Change(route, string.Empty);
        }

        Assert.Equal("0e", Frames.Read(Assert.Single(first.TakeSent())).Block2Of());
        second.TakeSent();
        first.Receive(Frames.Csm(1 << 20));
        Change(route, string.Empty);
        Assert.Equal(5000, Frames.Read(Assert.Single(first.TakeSent())).Payload.Length);
        Assert.Equal(5000, Frames.Read(Assert.Single(second.TakeSent())).Payload.Length);
        Assert.Equal(2, Server.ObserverCount);
        first.Break();
        second.Break();
        Assert.Equal(0, Server.ObserverCount);
    }

    [Fact]
    [Rfc("8323-5.3.1-1")]
    public async Task The_block_size_of_a_notification_leaves_room_for_the_longest_token()
    {
        byte[] body = [];
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => CoapResults.Bytes(body))
            .Observable(observe => observe.MaxAge = FromSeconds(60));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(1152));
        string token = string.Concat(Enumerable.Repeat("77", 60));
        connection.Receive(Register);
        connection.Receive($"5d012f{token}60536f6273");
        Assert.Equal(2, connection.TakeSent().Length);

        // With a token of one byte it would just fit.
        for (int length = 1060; length <= 1152; length++)
        {
            body = Frames.Bytes(length);
            Change(route, string.Empty);
            string[] sent = connection.TakeSent();
            Assert.Equal(2, sent.Length);
            Assert.All(sent, frame => Assert.InRange(frame.Length / 2, 1000, 1152));
        }
    }

    [Fact]
    public async Task Observers_on_UDP_and_on_a_connection_get_the_same_change()
    {
        CoapRouteHandlerBuilder route = MapState();
        Server.Endpoint.AddTransport(Transport);
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(1152));
        AskHex(connection, Register);
        Transport.Receive(Peer, "41017d341060536f6273");
        Transport.TakeSent();

        Change(route, "1");

        Assert.Equal("1", TextOf(Assert.Single(connection.TakeSent())));
        Assert.Matches("^4145....1063......60220258ff31$", Assert.Single(Transport.TakeSent()));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static CoapResult Make(List<WeakReference> states)
    {
        byte[] state = new byte[10_000];
        states.Add(new WeakReference(state));
        return CoapResults.Bytes(state);
    }

    private static string TextOf(string frame) => Encoding.UTF8.GetString(Frames.Read(frame).Payload.Span);

    private CoapRouteHandlerBuilder MapState(bool confirmable = true) => Server.MapGet("/obs", () =>
    {
        Runs++;
        return CoapResults.Text(State);
    }).Observable(observe => observe.Confirmable = confirmable);

    private void Change(CoapRouteHandlerBuilder route, string state)
    {
        State = state;
        route.Notify();
        Settle();
    }

    private void Settle() => Clock.Advance(FromMilliseconds(5));

    private IReadOnlyList<CoAP.NET.Observing.Server.Observer> Observers() =>
        [.. Server.Endpoint.Pipelines.SelectMany(pipeline => pipeline.Observers.Observers)];
}
