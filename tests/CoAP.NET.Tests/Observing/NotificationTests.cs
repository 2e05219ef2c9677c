using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

public sealed class NotificationTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.5-2", "7641-3.5-3")]
    public async Task Confirmable_notifications_are_acknowledged_and_both_types_are_delivered()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, 2, "two");
        observation.Latest.Says("two");
        Notify(registration.Token, 3, "three", confirmable: false);
        Transport.HasSentNothing();
        observation.Latest.Says("three");
        NotifyAcknowledged(registration.Token, 4, "four");
        observation.Latest.Says("four");
    }

    [Fact]
    public async Task A_duplicate_is_acknowledged_again_and_delivered_once()
    {
        int calls = 0;
        (CoapObservation observation,
            CoapMessage registration) = await RegisterAsync(options: new CoapObservationOptions { OnNotification = _ => calls++ });
        await using CoapObservation disposed = observation;
        Receive(CoapMessageType.Confirmable, 9, registration.Token, 2, "two", null, null, null, null);
        Receive(CoapMessageType.Confirmable, 9, registration.Token, 2, "two", null, null, null, null);
        Transport.HasSent("60000009", "60000009");
        Assert.Equal(2, calls);
    }

    [Fact]
    [Rfc("7641-3.4-1")]
    public async Task A_reordered_notification_is_acknowledged_and_not_delivered()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(number: 0xff_fffe);
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, 1, "new");
        NotifyAcknowledged(registration.Token, 0xff_ffff, "old");
        observation.Latest.Says("new");
        Assert.Equal(1, Endpoint.Counters[CoapCounter.NotificationsOutOfOrder]);

        // After 128 s numbers say nothing any more.
        Clock.Advance(FromSeconds(50));
        NotifyAcknowledged(registration.Token, 2, "refreshed", maxAge: 1000);
        Clock.Advance(FromSeconds(129));
        NotifyAcknowledged(registration.Token, 0xff_ffff, "late but right");
        observation.Latest.Says("late but right");
    }

    [Fact]
    [Rfc("7641-3.3.1-1")]
    public async Task An_observation_is_stale_after_Max_Age()
    {
        List<CoapObserveState> states = [];
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 30);
        await using CoapObservation disposed = observation;
        observation.StateChanged += (sender, state) =>
        {
            Assert.Same(observation, sender);
            states.Add(state);
        };
        Clock.Advance(FromSeconds(29.9));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        Clock.Advance(FromSeconds(0.2));
        Assert.Equal(CoapObserveState.Stale, observation.State);
        observation.Latest.Says("one");
        NotifyAcknowledged(registration.Token, 2, "two");
        Assert.Equal(CoapObserveState.Observing, observation.State);
        Assert.Equal([CoapObserveState.Stale, CoapObserveState.Observing], states);
    }

    [Fact]
    public async Task A_notification_before_the_end_of_Max_Age_keeps_the_observation_fresh_without_a_request()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 30);
        await using CoapObservation disposed = observation;
        for (uint i = 2; i < 50; i++)
        {
            Clock.Advance(FromSeconds(25));
            Assert.Equal(CoapObserveState.Observing, observation.State);
            NotifyAcknowledged(registration.Token, i, $"{i}", maxAge: 30);
        }

        observation.Latest.Says("49");
    }

    [Fact]
    [Rfc("7641-3.3.2-1")]
    public async Task Valid_selects_the_stored_representation_by_its_ETag()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(etag: "abcd", maxAge: 20);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(40));
        Assert.Equal("abcd", again.Options.ETag!.Value.ToString());
        Answer(again, 9, string.Empty, maxAge: 100, etag: "abcd", code: CoapCode.Valid);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        observation.Latest!.Gives(CoapCode.Content);
        observation.Latest.Says("one");
        Assert.Equal(FromSeconds(100), observation.Latest!.MaxAge);
        Assert.Equal(9u, observation.Latest.Options.Observe);
        NotifyAcknowledged(registration.Token, 10, string.Empty, maxAge: 7, etag: "abcd", code: CoapCode.Valid);
        observation.Latest.Says("one");
        Assert.Equal(FromSeconds(7), observation.Latest!.MaxAge);
    }

    [Fact]
    public async Task A_2_03_notification_with_an_unknown_ETag_makes_the_client_fetch_the_representation()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(etag: "abcd");
        await using CoapObservation disposed = observation;
        NotifyAcknowledgedAndFetch(registration.Token, out CoapMessage fetch);
        Assert.Null(fetch.Options.Observe);
        Assert.NotEqual(registration.Token, fetch.Token);
        Answer(fetch, null, "other");
        await Within(ReadUntilAsync(observation, "other"));
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    [Rfc("7959-2.6-2")]
    public async Task The_remaining_blocks_of_a_notification_are_fetched_without_Observe_and_with_another_token()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        CoapMessage fetch = NotifyFirstBlock(registration.Token, 2, "0123456789abcdef");
        Assert.Null(fetch.Options.Observe);
        Assert.NotEqual(registration.Token, fetch.Token);
        Assert.Equal("obs", fetch.Options.Get<UriPathOption>()!.Value);

        // Never a part.
        observation.Latest.Says("one");
        AnswerRest(fetch, " and the rest");
        await Within(ReadUntilAsync(observation, "0123456789abcdef and the rest"));
    }

    [Fact]
    public async Task A_newer_notification_restarts_the_fetching_of_blocks_without_mixing_bodies()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        CoapMessage first = NotifyFirstBlock(registration.Token, 2, "AAAAAAAAAAAAAAAA");
        CoapMessage second = NotifyFirstBlock(registration.Token, 3, "BBBBBBBBBBBBBBBB");
        AnswerRest(first, " whole");
        AnswerRest(second, " whole");
        await Within(ReadUntilAsync(observation, "BBBBBBBBBBBBBBBB whole"));
        observation.Latest.Says("BBBBBBBBBBBBBBBB whole");
    }

    [Fact]
    public async Task An_observation_whose_notification_body_cannot_be_fetched_registers_again()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        CoapMessage fetch = NotifyFirstBlock(registration.Token, 2, "0123456789abcdef");
        TaskCompletionSource told = new();
        observation.StateChanged += (_, _) => told.TrySetResult();
        Transport.Receive(s_server, $"7000{fetch.MessageId:x4}");
        await Within(told.Task);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Failure.Is(CoapError.Reset, observation.Error);
        (CoapMessage again, _) = NextRequest(FromSeconds(6));
        Assert.Equal((0u, registration.Token), (again.Options.Observe, again.Token));
        Answer(again, 3, "whole now");
        observation.Latest.Says("whole now");
    }

    [Fact]
    [Rfc("7252-5.4.1-3")]
    public async Task A_notification_with_an_unknown_critical_option_is_rejected()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        CoapMessage bad = new(CoapCode.Content) { Type = CoapMessageType.Confirmable, MessageId = 0x77, Token = registration.Token };
        bad.Options.Observe = 2;
        bad.Options.Add(65_001, [1]);
        Receive(bad);
        Transport.HasSent("70000077");
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Assert.IsType<CoapProtocolException>(observation.Error);
    }

    private void NotifyAcknowledgedAndFetch(CoapToken token, out CoapMessage fetch)
    {
        Notify(token, 2, string.Empty, etag: "ffff", code: CoapCode.Valid);
        fetch = Assert.Single(TakeRequests());
    }

    private void ReceiveFirstBlock(CoapToken token, uint observe, string block)
    {
        CoapMessage message = new(CoapCode.Content)
        {
            Type = CoapMessageType.NonConfirmable,
            MessageId = (ushort)(0x5000 + observe),
            Token = token,
            Payload = Encoding.UTF8.GetBytes(block),
        };
        message.Options.Observe = observe;
        message.Options.Block2 = new BlockValue(0, true, 0);
        Receive(message);
    }

    private void AnswerRest(CoapMessage fetch, string payload)
    {
        Assert.Equal(new BlockValue(1, false, 0), fetch.Options.Block2);

        // It asks for the rest, and registers nothing (RFC 7959 section 2.6).
        Assert.Null(fetch.Options.Observe);
        CoapMessage message = new(CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = fetch.MessageId,
            Token = fetch.Token,
            Payload = Encoding.UTF8.GetBytes(payload),
        };
        message.Options.Block2 = new BlockValue(1, false, 0);
        Receive(message);
    }

    private CoapMessage NotifyFirstBlock(CoapToken token, uint observe, string block)
    {
        ReceiveFirstBlock(token, observe, block);
        return TakeRequest();
    }
}
