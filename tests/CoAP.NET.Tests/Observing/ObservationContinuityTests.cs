using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>What must not end an observation, nor leave one behind that nobody hears of.</summary>
public sealed class ObservationContinuityTests : ServerObserveTest
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe00001bb, 5683);

    [Theory]
    [Rfc("7641-4.4-1")]
    [InlineData(0)]
    [InlineData(30)]
    public async Task Observe_values_increase_over_a_machine_restart_although_its_clock_is_set_back(int setBack)
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Pass(4_000);
        Register(Peer);
        Change(route, "1");
        uint last = NumberOf(TakeOne())!.Value;

        // Timestamps begin anew, as those of a machine that was switched off for 5 s.
        CoAP.NET.Testing.VirtualClock clock = new(Clock.GetUtcNow() + FromSeconds(5 - setBack));
        await using CoapServer second =
            new(new CoapEndpointOptions { TimeProvider = clock, Pipeline = { Random = new CoAP.NET.Testing.VirtualRandom(1) } });
        CoAP.NET.Tests.Endpoints.DirectTransport transport = new();
        second.MapGet("/obs", static () => CoapResults.Text("2")).Observable();
        second.Endpoint.AddTransport(transport);
        await second.StartAsync();
        transport.Receive(Peer, "41017d344a60536f6273");
        CoapMessage answer = CoAP.NET.CoapDatagramSerializer.Default.Deserialize(Assert.Single(transport.TakeAll()).Bytes);
        Assert.True(IsLater(last, NumberOf(answer)!.Value), $"{NumberOf(answer):x} after {last:x}");
    }

    [Fact]
    [Rfc("7641-4.4-1")]
    public async Task Observe_values_increase_for_a_repeated_registration_with_another_ETag()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        for (int i = 1; i <= 3; i++)
        {
            // Between half and all of the time after which numbers by the clock begin again.
            Pass(700);
            Change(route, $"{i}");
            CoapMessage told = TakeOne();
            Acknowledge(Peer, told);
            Pass(70);
            CoapMessage again = Ask(Peer, "/obs", more: message => message.Options.Add(OptionNumber.ETag, [(byte)i]))!;
            Assert.True(IsLater(NumberOf(told)!.Value, NumberOf(again)!.Value), $"{i}: {NumberOf(again):x} after {NumberOf(told):x}");
        }
    }

    [Fact]
    [Rfc("7641-4.4-1")]
    public async Task Observe_values_increase_for_a_client_that_registers_again_after_a_Reset()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Pass(700);
        Change(route, "1");
        CoapMessage told = TakeOne();
        Reset(Peer, told);
        AssertNobody();
        Pass(60);
        Assert.True(IsLater(NumberOf(told)!.Value, NumberOf(Register(Peer))!.Value));
    }

    [Fact]
    [Rfc("7641-4.4-1")]
    public async Task However_fast_the_changes_fewer_than_half_of_the_Observe_values_are_used_in_256_seconds()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        CoapMessage last = Register(Peer);
        List<(double At, uint Number)> numbers = [];
        for (int i = 0; i < 3000; i++)
        {
            Change(route, $"{i}");
            last = TakeOne();
            Acknowledge(Peer, last);
            numbers.Add((Clock.Elapsed.TotalSeconds, NumberOf(last)!.Value));
            Pass(i % 100 == 0 ? 20 : 0.01);
        }

        for (int i = 1; i < numbers.Count; i++)
        {
            for (int j = i - 1; j >= 0 && numbers[i].At - numbers[j].At <= 256; j -= 37)
            {
                Assert.True(IsLater(numbers[j].Number, numbers[i].Number));
            }
        }
    }

    [Fact]
    [Rfc("9175-2.3-1")]
    public async Task A_route_with_RequireFreshness_requires_an_Echo_for_registrations_and_not_for_notifications()
    {
        CoapRouteHandlerBuilder route = MapState().RequireFreshness(FromSeconds(10));
        await StartAsync();
        CoapMessage challenge = Ask(Peer, "/obs")!;
        Assert.Equal(CoapCode.Unauthorized, challenge.Code);
        byte[] echo = challenge.Options.Echo!.Value.ToArray();
        Assert.NotNull(NumberOf(Ask(Peer, "/obs", more: message => message.Options.Add(OptionNumber.Echo, echo))!));
        Pass(60);
        Change(route, "1");
        CoapMessage told = TakeOne();
        Assert.Equal((CoapCode.Content, "1"), (told.Code, TextOf(told)));
        Assert.Equal(1, Server.ObserverCount);
    }

    [Fact]
    [Rfc("8516-3-1")]
    public async Task A_rate_limiter_of_requests_does_not_end_observations()
    {
        int asked = 0;
        CoapRouteHandlerBuilder route = MapState().RequireRateLimiting(_ => asked++ == 0 ? null : FromSeconds(30));
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        Assert.Equal("1", TextOf(TakeOne()));
        Assert.Equal((1, 1), (asked, Server.ObserverCount));
    }

    [Fact]
    public async Task A_group_registration_whose_delayed_response_is_refused_adds_no_observer()
    {
        Options.Limits.Requests.MaxDelayedGroupResponses = 1;
        MapState().AllowMulticast();
        await StartAsync();
        Transport.Receive(Peer, "510100014a60536f6273", s_group);
        Transport.Receive(Other, "510100014a60536f6273", s_group);
        Assert.Equal(1, Server.ObserverCount);
        Pass(10);
        Assert.Single(TakeNew());
        Ask(Peer, "/obs", 1);
        Pass(300);
        AssertNobody();
    }

    [Fact]
    [Rfc("7641-4.3.1-2")]
    public async Task An_observer_that_acknowledged_the_registration_response_late_is_still_refreshed()
    {
        TaskCompletionSource<CoapResult> slow = new();
        int runs = 0;
        Server.MapGet("/obs", async (_, _) => runs++ == 0 ? await slow.Task : CoapResults.Text("again"))
            .Observable(observe =>
            {
                observe.MaxAge = FromSeconds(10);
                observe.Refresh = true;
            });
        await StartAsync();
        Transport.Receive(Peer, "41017d344a60536f6273");
        Pass(1);
        TakeNew();
        CoapMessage answer = await AnswerAfterAsync(() => slow.SetResult(CoapResults.Text("late")));
        Assert.Equal(CoapMessageType.Confirmable, answer.Type);
        Pass(12);
        TakeNew();
        Acknowledge(Peer, answer);
        Pass(10);
        Assert.Equal("again", TextOf(TakeNew()[0].Message));
    }

    [Fact]
    public async Task A_user_block_sees_the_outcome_of_notifications()
    {
        List<CoapInboundKind> fates = [];
        Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new PassBlock<CoapInbound>(item =>
        {
            if (item.Transmission is not null)
            {
                fates.Add(item.Kind);
            }
        }));
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        fates.Clear();
        Change(route, "1");
        Acknowledge(Peer, TakeOne());
        Change(route, "2");
        Reset(Peer, TakeOne());
        Assert.Equal([CoapInboundKind.Acknowledged, CoapInboundKind.Reset], fates);
        Assert.Equal(0, Server.ObserverCount);
    }

    [Fact]
    public async Task An_observer_whose_acknowledgement_a_user_block_drops_is_notified_again_within_a_day()
    {
        bool isOpen = true;
        Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new GateBlock<CoapInbound>(() => isOpen));
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        Change(route, "1");
        isOpen = false;
        Acknowledge(Peer, TakeOne());
        isOpen = true;
        Change(route, "2");
        Assert.Empty(TakeNew());
        Pass(24 * 3600);
        Assert.Equal("2", TextOf(TakeNew()[0].Message));
    }

    [Fact]
    public async Task A_notification_that_a_user_block_declines_is_sent_later()
    {
        bool isOpen = true;
        Options.Pipeline.Insert(CoapStageLinks.ExchangesToMessaging, () => new GateBlock<CoapOutbound>(() => isOpen));
        CoapRouteHandlerBuilder route = MapState();
        CoapRouteHandlerBuilder non = MapState("/non", false);
        await StartAsync();
        Register(Peer);
        Register(Other, "/non");
        isOpen = false;
        Change(route, "1");
        Change(non, "1");
        Assert.Empty(TakeNew());
        isOpen = true;
        Pass(10);
        Assert.Equal(["1", "1"], TakeNew().DistinctBy(item => item.Peer).Select(item => TextOf(item.Message)));
    }

    [Fact]
    [Rfc("9175-2.4-1")]
    public async Task An_error_notification_to_an_unverified_peer_counts_against_the_amplification_limit()
    {
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        CoapResult answer = CoapResults.Text("x");
        CoapRouteHandlerBuilder route = Server.MapGet("/obs", () => answer).Observable();
        await StartAsync();
        Register(PeerNumber(1));
        answer = CoapResults.Forbidden(new string('x', 400));
        Change(route, "1");
        Pass(100);
        Assert.Empty(TakeNew());
        AssertNobody();
    }
}
