using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

/// <summary>What observers are sent, and when: RFC 7641 sections 4.2 to 4.5.</summary>
public sealed class ServingNotificationTests : ServerObserveTest
{
    [Fact]
    [Rfc("7641-4.2-2")]
    public async Task An_error_notification_has_no_Observe_option_and_ends_the_observation()
    {
        CoapResult result = CoapResults.Text("0");
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => result).Observable();
        await StartAsync();
        Register(Peer);
        Register(Other);
        result = CoapResults.Forbidden();
        route.Notify();
        Settle();
        var sent = TakeNew();
        Assert.Equal(2, sent.Count);
        Assert.All(sent,
            item => Assert.Equal((CoapCode.Forbidden, CoapMessageType.Confirmable, null),
                (item.Message.Code, item.Message.Type, NumberOf(item.Message))));
        AssertNobody();
        sent.ForEach(item => Acknowledge(item.Peer, item.Message));
        result = CoapResults.Text("1");
        route.Notify();
        Pass(200);
        Assert.Empty(TakeNew());
    }

    [Fact]
    [Rfc("7641-4.2-2")]
    public async Task Removing_a_route_sends_4_04_and_ends_its_observations()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);

        Assert.True(route.Unmap());

        Assert.Matches("^4184....4a$", Assert.Single(Transport.TakeSent()));
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.2-2")]
    public async Task A_handler_that_throws_ends_the_observation_with_5_00()
    {
        bool fails = false;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            () => fails ? throw new InvalidOperationException("secret") : CoapResults.Text("0")).Observable();
        await StartAsync();
        Register(Peer);
        fails = true;
        route.Notify();
        Settle();
        CoapMessage last = TakeOne();
        Assert.Equal(CoapCode.InternalServerError, last.Code);
        Assert.True(last.Payload.IsEmpty);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-3.2-1")]
    public async Task A_handler_that_declines_observers_ends_their_observations_with_a_response_without_Observe()
    {
        bool declines = false;
        List<CoapObserverEnd> ends = [];
        CoapRouteHandlerBuilder route = Server
            .MapGet("/obs", () => new CoapResult(CoapCode.Content, "x"u8.ToArray()) { DeclinesObserver = declines }).Observable();
        route.ObserverRemoved += (_, went) => ends.Add(went.End!.Value);
        await StartAsync();
        Register(Peer);
        Register(Other);
        declines = true;
        route.Notify();
        Settle();
        var last = TakeNew();
        Assert.Equal(2, last.Count);
        Assert.All(last, static item => Assert.Equal((CoapCode.Content, null), (item.Message.Code, NumberOf(item.Message))));
        AssertNobody();
        Assert.Equal([CoapObserverEnd.Failed, CoapObserverEnd.Failed], ends);
    }

    [Fact]
    public async Task A_stream_result_may_decline_observers()
    {
        Server.MapGet("/obs", () =>
        {
            CoapResult result = CoapResults.Stream(new MemoryStream([1, 2]), new CoapETag([1]));
            result.DeclinesObserver = true;
            return result;
        }).Observable();
        await StartAsync();
        Assert.Null(NumberOf(Ask(Peer, "/obs")!));
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.2-3")]
    public async Task A_changed_Content_Format_sends_4_06_and_ends_the_observation()
    {
        CoapContentFormat format = CoapContentFormat.TextPlain;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => new CoapResult(CoapCode.Content, "x"u8.ToArray(), format)).Observable();
        await StartAsync();
        Register(Peer);
        format = CoapContentFormat.Json;
        Register(Other);
        route.Notify();
        Settle();
        var sent = TakeNew();
        Assert.Equal(CoapCode.Content, sent.Single(item => item.Peer == Other).Message.Code);
        CoapMessage last = sent.Single(item => item.Peer == Peer).Message;
        Assert.Equal(CoapCode.NotAcceptable, last.Code);
        Assert.Null(NumberOf(last));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("7252-5.5.4-1", "7641-4.2-3")]
    public async Task A_registration_whose_Accept_cannot_be_satisfied_gets_4_06_and_observes_nothing()
    {
        MapState();
        await StartAsync();
        CoapMessage answer = Ask(Peer, "/obs",
            more: message => message.Options.AddUInt(OptionNumber.Accept, CoapContentFormat.Cbor.Value))!;
        Assert.Equal(CoapCode.NotAcceptable, answer.Code);
        Assert.Null(NumberOf(answer));
        AssertNobody();
    }

    [Fact]
    [Rfc("7252-5.5.4-1", "7641-4.2-3")]
    public async Task A_state_in_another_format_than_Accept_sends_4_06_and_ends_the_observation()
    {
        CoapContentFormat format = CoapContentFormat.Cbor;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => new CoapResult(CoapCode.Content, "x"u8.ToArray(), format)).Observable();
        await StartAsync();
        Assert.NotNull(NumberOf(
            Ask(Peer, "/obs", more: message => message.Options.AddUInt(OptionNumber.Accept, CoapContentFormat.Cbor.Value))!));
        format = CoapContentFormat.Json;
        route.Notify();
        Settle();
        CoapMessage last = TakeOne();
        Assert.Equal((CoapCode.NotAcceptable, null), (last.Code, NumberOf(last)));
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.2-3")]
    public async Task A_notification_may_be_2_03_for_an_ETag_of_the_client()
    {
        string state = "0";
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            request => CoapResults.ValidOr(request, CoapETag.FromContent(Encoding.UTF8.GetBytes(state)),
                () => CoapResults.Text(state))).Observable();
        await StartAsync();
        CoapMessage valid = Ask(Peer, "/obs",
            more: message => message.Options.Add(OptionNumber.ETag, CoapETag.FromContent("0"u8).ToArray()))!;
        Assert.Equal(CoapCode.Valid, valid.Code);
        Assert.NotNull(NumberOf(valid));
        foreach (string next in new[] { "1", "0", "2" })
        {
            state = next;
            route.Notify();
            Settle();
            CoapMessage notification = TakeOne();
            Assert.Equal(next == "0" ? CoapCode.Valid : CoapCode.Content, notification.Code);
            Assert.NotNull(NumberOf(notification));
            Acknowledge(Peer, notification);
        }
    }

    [Fact]
    [Rfc("7641-4.3.1-1")]
    public async Task Max_Age_of_the_route_is_sent_unless_the_handler_sets_it_and_is_omitted_when_60_seconds()
    {
        Server.MapGet("/hour", () => "x").Observable(observe => observe.MaxAge = FromHours(1));
        Server.MapGet("/minute", () => "x").Observable(observe => observe.MaxAge = FromMinutes(1));
        Server.MapGet("/own", () => CoapResults.Text("x").WithMaxAge(FromSeconds(5)))
            .Observable(observe => observe.MaxAge = FromHours(1));
        await StartAsync();
        uint? MaxAgeOf(string path, uint? observe) =>
            Ask(Peer, path, observe)!.Options.TryGetUInt(OptionNumber.MaxAge, out uint age) ? age : null;
        Assert.Equal(3600u, MaxAgeOf("/hour", 0));
        Assert.Null(MaxAgeOf("/hour", null));
        Assert.Null(MaxAgeOf("/minute", 0));
        Assert.Equal(5u, MaxAgeOf("/own", 0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Server.Routes.Observable(observe => observe.MaxAge = TimeSpan.Zero));
    }

    [Fact]
    public async Task A_plain_request_gets_the_Max_Age_of_observers_when_it_is_less_than_a_minute()
    {
        CoapResult kept = CoapResults.Text("kept");
        Server.MapGet("/short", () => kept).Observable(observe => observe.MaxAge = FromSeconds(30));
        Server.MapGet("/own", () => CoapResults.Text("x").WithMaxAge(FromSeconds(90)))
            .Observable(observe => observe.MaxAge = FromSeconds(30));
        Server.MapGet("/none", () => CoapResults.NotFound()).Observable(observe => observe.MaxAge = FromSeconds(30));
        Server.MapPut("/short", () => CoapResults.Changed());
        await StartAsync();
        uint? MaxAgeOf(string path) =>
            Ask(Peer, path, null)!.Options.TryGetUInt(OptionNumber.MaxAge, out uint age) ? age : null;
        Assert.Equal(30u, MaxAgeOf("/short"));
        Assert.Equal(30u, MaxAgeOf("/short"));
        Assert.Equal(90u, MaxAgeOf("/own"));
        Assert.Null(MaxAgeOf("/none"));
        Assert.False(kept.OptionsToRead!.Contains(OptionNumber.MaxAge));
    }

    [Fact]
    [Rfc("7641-4.3.1-2")]
    public async Task Observers_may_be_refreshed_before_Max_Age_ends()
    {
        MapState().Observable(observe =>
        {
            observe.MaxAge = FromSeconds(100);
            observe.Refresh = true;
        });
        await StartAsync();
        Register(Peer);
        for (int i = 0; i < 5; i++)
        {
            Pass(89);
            Assert.Empty(TakeNew());
            Pass(2);
            CoapMessage refreshed = TakeOne();
            Assert.Equal("0", TextOf(refreshed));
            Acknowledge(Peer, refreshed);
        }
    }

    [Fact]
    [Rfc("7641-4.4-1")]
    public async Task Observe_values_of_a_thousand_changes_increase_across_the_24_bit_wrap()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();

        // Numbers are those of the clock, which begins at 956 of 1,024 s and goes a sixtieth slower in the first hour: this is shortly
        // before the 24 bits are used up.
        Clock.AdvanceTo(FromSeconds((1_024 - 956) * 60 / 59.0) - FromMilliseconds(10));
        uint before = NumberOf(Register(Peer))!.Value;
        Assert.InRange(before, 0xffff00u, 0xffffffu);
        bool wrapped = false;
        for (int i = 0; i < 1000; i++)
        {
            Change(route, $"{i}");
            CoapMessage notification = TakeOne();
            uint number = NumberOf(notification)!.Value;
            Assert.True(IsLater(before, number), $"{number:x} after {before:x}");
            wrapped |= number < before;
            before = number;
            Assert.Equal($"{i}", TextOf(notification));
            Acknowledge(Peer, notification);
        }

        Assert.True(wrapped);
    }

    [Fact]
    [Rfc("7641-4.4-1")]
    public async Task A_client_that_registers_again_never_gets_an_older_Observe_value()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        uint before = NumberOf(Register(Peer))!.Value;
        for (int i = 0; i < 20; i++)
        {
            Change(route, $"{i}");
            Acknowledge(Peer, TakeOne());
        }

        Ask(Peer, "/obs", 1);
        AssertNobody();
        Settle();
        Assert.True(IsLater(before + 20, NumberOf(Register(Peer))!.Value));
    }

    [Fact]
    [Rfc("7641-4.4-2", "7641-4.5.2-1", "7641-4.5.2-2")]
    public async Task A_retransmitted_notification_has_the_newest_state_a_new_Message_ID_and_the_same_backoff()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        CoapMessage first = TakeOne();
        for (int i = 2; i < 10; i++)
        {
            Change(route, $"{i}");
        }

        Assert.Equal(2, Runs);
        Assert.Empty(TakeNew());
        Pass(3.2);
        CoapMessage second = TakeOne();
        Assert.Equal(3, Runs);
        Assert.Equal("9", TextOf(second));
        Assert.NotEqual(first.MessageId, second.MessageId);
        Assert.True(IsLater(NumberOf(first)!.Value, NumberOf(second)!.Value));

        // Late: it tells that the client is there, and nothing about the newer one.
        Acknowledge(Peer, first);
        Assert.Equal(1, Server.ObserverCount);
        Pass(3.2);
        CoapMessage third = TakeOne();
        Assert.Equal((second.MessageId, "9"), (third.MessageId, TextOf(third)));
        Acknowledge(Peer, third);
        Pass(500);
        Assert.Empty(TakeNew());
        Assert.Equal(1, Server.ObserverCount);
        Assert.Equal(1, Server.Counters[CoapCounter.NotificationsSuperseded]);
    }

    [Fact]
    [Rfc("7641-4.5.2-1", "7641-4.5-2")]
    public async Task A_client_that_is_gone_is_removed_although_the_resource_changes_all_the_time()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        int sent = 0;
        for (int i = 0; i < 200; i++)
        {
            Change(route, $"{i}");
            Pass(1);
            sent += TakeNew().Count;
        }

        Assert.Equal(5, sent);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.5.2-2")]
    public async Task A_client_whose_acknowledgements_are_always_late_is_not_removed()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        CoapMessage? late = null;
        for (int i = 0; i < 1000; i++)
        {
            Change(route, $"{i}");
            Pass(1);
            foreach (var sent in TakeNew())
            {
                if (late is not null)
                {
                    Acknowledge(Peer, late);
                }

                late = sent.Message;
            }
        }

        Assert.Equal(1, Server.ObserverCount);
        Pass(100);
        Assert.Equal("999", TextOf(TakeNew()[^1].Message));
    }

    [Fact]
    [Rfc("7641-4.5.1-1")]
    public async Task A_client_that_observes_five_resources_has_at_most_one_unacknowledged_notification()
    {
        CoapRouteHandlerBuilder[] routes = [.. Enumerable.Range(0, 5).Select(i => MapState($"/r{i}"))];
        await StartAsync();
        for (int i = 0; i < 5; i++)
        {
            Register(Peer, $"/r{i}", $"0{i}");
        }

        State = "1";
        Array.ForEach(routes, route => route.Notify());
        Settle();
        HashSet<CoapToken> tokens = [];
        for (int i = 0; i < 5; i++)
        {
            CoapMessage one = TakeOne();
            Assert.True(tokens.Add(one.Token));
            Pass(1);
            Assert.Empty(TakeNew());
            Acknowledge(Peer, one);
            Settle();
        }

        Assert.Empty(TakeNew());
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task An_observer_that_acknowledges_nothing_is_removed_after_the_last_retransmission()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        Pass(94);
        Assert.Equal(5, TakeNew().Count);
        AssertNobody();
        Assert.Equal(1, Server.Counters[CoapCounter.ObserversLost]);
        Change(route, "2");
        Assert.Empty(TakeNew());
    }

    [Theory]
    [Rfc("7641-4.5-2")]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_Reset_of_a_notification_removes_the_observer(bool confirmable)
    {
        CoapRouteHandlerBuilder route = MapState(confirmable: confirmable);
        await StartAsync();
        Register(Peer);
        Register(Peer, token: "4b");
        Change(route, "1");
        CoapMessage rejected = TakeNew()[0].Message;
        Assert.Equal(confirmable ? CoapMessageType.Confirmable : CoapMessageType.NonConfirmable,
            rejected.Type);
        Reset(Peer, rejected);
        Assert.Equal(1, Server.ObserverCount);
        Pass(4);
        CoapMessage other = TakeNew()[0].Message;
        Assert.NotEqual(rejected.Token, other.Token);
        Reset(Peer, other);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task A_reset_of_a_Non_confirmable_notification_before_the_last_one_removes_the_observer()
    {
        CoapRouteHandlerBuilder route = MapState(confirmable: false);
        await StartAsync();
        Register(Peer);
        List<CoapMessage> sent = [];
        for (int i = 0; i < 5; i++)
        {
            Change(route, $"{i}");
            Pass(3);
            sent.Add(TakeOne());
        }

        Assert.Equal(1, Server.Endpoint.Pipelines[0].Messages.Outstanding);
        Reset(Peer, sent[2]);
        AssertNobody();
        Assert.Equal(0, Server.Endpoint.Pipelines[0].Messages.Outstanding);
    }

    [Fact]
    [Rfc("7641-4.5-2")]
    public async Task A_port_that_is_unreachable_removes_the_observer_whose_notification_is_quoted()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        byte[] quoted = Wire.Hex(Assert.Single(Transport.TakeSent()));
        Transport.Context.PortUnreachable(Peer, default, quoted);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.5.1-2")]
    public async Task Non_confirmable_notifications_are_three_seconds_apart_and_carry_the_newest_state()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1000;
        CoapRouteHandlerBuilder route = MapState(confirmable: false, probe: false);
        await StartAsync();
        Register(Peer);
        int sent = 0;
        string last = "";
        for (int i = 1; i <= 300; i++)
        {
            Change(route, $"{i}");
            Pass(0.095);
            foreach (var item in TakeNew())
            {
                Assert.Equal(CoapMessageType.NonConfirmable, item.Message.Type);
                Assert.InRange(int.Parse(TextOf(item.Message), null), i - 1, i);
                last = TextOf(item.Message);
                sent++;
            }
        }

        Assert.InRange(sent, 9, 11);
        Assert.InRange(Runs, sent, (2 * sent) + 3);
        Pass(4);
        Assert.Equal("300", TakeNew() is [.., var end] ? TextOf(end.Message) : last);
    }

    [Fact]
    [Rfc("7641-4.5-3", "gc-3.7-2", "gc-3.7-0")]
    public async Task Non_confirmable_notifications_include_a_daily_Confirmable_and_a_silent_observer_is_removed()
    {
        Options.Limits.Observe.MaxUnacknowledgedNotifications = 1_000_000;
        CoapRouteHandlerBuilder route = MapState(confirmable: false).AllowMulticast();
        await StartAsync();
        Transport.Receive(Peer, "510100014a60536f6273", CoAP.NET.CoapAddress.FromIPv4(0xe00001bb, 5683));
        Pass(10);
        Assert.Equal(1, Server.ObserverCount);
        TakeNew();

        // One that is not acknowledged yet goes on with the newer state, under another Message ID.
        HashSet<int> confirmableHours = [];
        for (int hour = 0; hour < 49; hour++)
        {
            Change(route, $"{hour}");
            for (int second = 0; second < 6; second++)
            {
                Pass(1);
                foreach (var sent in TakeNew().Where(item => item.Message.Type == CoapMessageType.Confirmable))
                {
                    confirmableHours.Add(hour);
                    Acknowledge(Peer, sent.Message);
                }
            }

            Pass(3594);
        }

        Assert.Equal([23, 46], confirmableHours.Order());
        for (int hour = 0; hour < 25; hour++)
        {
            Change(route, $"{hour}");
            Pass(3600);
        }

        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.5-3")]
    public async Task An_observer_that_is_gone_is_removed_within_a_day_although_the_resource_never_changes()
    {
        MapState(confirmable: false);
        await StartAsync();
        Register(Peer);
        Register(Other);
        Pass(FromHours(23).TotalSeconds + 1);
        var sent = TakeNew();
        Assert.Equal(2, sent.Count);
        Assert.All(sent, item => Assert.Equal(CoapMessageType.Confirmable, item.Message.Type));
        Acknowledge(Peer, sent.Single(item => item.Peer == Peer).Message);
        Pass(100);
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("7641-7-1")]
    public async Task An_unverified_address_gets_ten_Non_confirmable_notifications_and_must_then_acknowledge()
    {
        CoapRouteHandlerBuilder route = MapState(confirmable: false);
        await StartAsync();
        Register(Peer);
        List<CoapMessage> sent = [];
        for (int i = 0; i < 30 && (sent.Count == 0 || sent[^1].Type == CoapMessageType.NonConfirmable); i++)
        {
            Pass(4);
            Change(route, $"{i}");
            sent.Add(TakeOne());
        }

        Assert.Equal(10, sent.Count(message => message.Type == CoapMessageType.NonConfirmable));
        Assert.Equal(11, sent.Count);
        Acknowledge(Peer, sent[^1]);
        Change(route, "on");
        Pass(3);
        Assert.Equal(CoapMessageType.NonConfirmable, TakeOne().Type);

        for (int i = 0; i < 200; i++)
        {
            Change(route, $"x{i}");
            Pass(3);
        }

        // Nine more, and a Confirmable one with its copies.
        Assert.Equal(9 + 5, TakeNew().Count);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.1-1", "7641-4.5.1-1")]
    public async Task A_slow_registration_gets_a_separate_response_and_no_notification_before_its_acknowledgement()
    {
        TaskCompletionSource<CoapResult> slow = new();
        int runs = 0;
        CoapRouteHandlerBuilder route = Server.MapGet("/obs",
            async (_, _) => Interlocked.Increment(ref runs) == 1 ? await slow.Task : CoapResults.Text("new")).Observable();
        await StartAsync();
        Transport.Receive(Peer, "41017d344a60536f6273");
        Pass(1);
        Transport.HasSent("60007d34");

        // The state changes while the handler is at it: its answer is of before, so another one must follow.
        route.Notify();
        CoapMessage answer = await AnswerAfterAsync(() => slow.SetResult(CoapResults.Text("old")));
        Assert.Equal(("old", CoapMessageType.Confirmable), (TextOf(answer), answer.Type));
        Pass(1);
        Assert.Empty(TakeNew());
        CoapMessage newer = await AnswerAfterAsync(() =>
        {
            Acknowledge(Peer, answer);
            Settle();
        });
        Assert.Equal("new", TextOf(newer));
        Assert.True(IsLater(NumberOf(answer)!.Value, NumberOf(newer)!.Value));
        Acknowledge(Peer, newer);
        Pass(100);
        Assert.Empty(TakeNew());
        Assert.Equal(2, runs);
    }

    [Theory]
    [Rfc("7641-4.5-2")]
    [InlineData("4101")]
    [InlineData("5101")]
    public async Task A_Reset_to_the_separate_response_of_a_registration_ends_the_observation(string head)
    {
        TaskCompletionSource<CoapResult> slow = new();
        Server.MapGet("/obs", (CoapRequestContext _, CancellationToken _) => slow.Task).Observable();
        await StartAsync();
        Transport.Receive(Peer, head + "7d344a60536f6273");
        Pass(1);
        TakeNew();
        CoapMessage answer = await AnswerAfterAsync(() => slow.SetResult(CoapResults.Text("0")));
        Assert.Equal(1, Server.ObserverCount);
        Reset(Peer, answer);
        AssertNobody();
    }
}
