using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

public sealed class CancellingTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.6-2")]
    public async Task Disposing_sends_Observe_1_with_the_same_token_and_options()
    {
        CoapRequest request = new(CoapMethod.Get, Uri + "?unit=K") { Accept = CoapContentFormat.Json, Confirmable = false };
        Task<CoapObservation> registering = Client.ObserveAsync(request);
        CoapMessage registration = TakeRequest();
        Notify(registration.Token, 1, "one", confirmable: false, etag: "aa");
        CoapObservation observation = await Within(registering);
        ValueTask disposing = observation.DisposeAsync();
        Assert.True(disposing.IsCompletedSuccessfully);
        CoapMessage cancellation = TakeRequest();
        Assert.Equal((CoapMessageType.Confirmable, CoapCode.Get, registration.Token),
            (cancellation.Type, cancellation.Code, cancellation.Token));
        Assert.Equal(1u, cancellation.Options.Observe);
        cancellation.Options.Observe = 0;
        Assert.Equal(registration.Options.ToString(), cancellation.Options.ToString());
        Assert.Equal(CoapObserveState.Cancelled, observation.State);
        Assert.Equal(1, StandingRequests);

        // The response without Observe completes it.
        Answer(cancellation, null, "last");
        AssertFreed();
        observation.Latest.Says("one");
        Clock.Advance(FromHours(1));
        Transport.HasSentNothing();
        Assert.Equal(0, Timers);
    }

    [Fact]
    public async Task A_client_on_a_shared_endpoint_ends_its_own_observations_only()
    {
        Options.Parameters = Options.Parameters with { NStart = 10 };
        (CoapObservation others, _) = await RegisterAsync();
        CoapClient shared = new(Client.Endpoint);
        Task<CoapObservation> registering = shared.ObserveAsync(Uri + "?unit=K");
        CoapMessage registration = TakeRequest();
        Notify(registration.Token, 1, "one");
        CoapObservation observation = await Within(registering);
        await using IAsyncEnumerator<CoapResponse> reader = observation.ReadAllAsync().GetAsyncEnumerator(default);
        Assert.True(await Within(reader.MoveNextAsync().AsTask()));
        Task<bool> next = reader.MoveNextAsync().AsTask();
        Task<CoapObservation> late = shared.ObserveAsync(Uri + "?unit=F");
        TakeRequests();

        await shared.DisposeAsync();
        Assert.False(await Within(next));
        Assert.Equal(CoapObserveState.Cancelled, observation.State);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(late));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(shared.ObserveAsync(Uri)));
        Assert.Equal(CoapObserveState.Observing, others.State);
        Assert.Contains(TakeRequests(), request => request.Token == registration.Token && request.Options.Observe == 1);
    }

    [Fact]
    public async Task A_client_on_a_shared_endpoint_forgets_disposed_observations()
    {
        await using CoapClient shared = new(Client.Endpoint);
        for (int i = 0; i < 100; i++)
        {
            Task<CoapObservation> registering = shared.ObserveAsync(Uri);
            Notify(TakeRequest().Token, 1, "one", confirmable: false);
            await (await Within(registering)).DisposeAsync();
            Answer(TakeRequest(), null, "last");
            Assert.InRange(shared.Exchanges!.Observations, 1, 16);
        }
    }

    [Fact]
    [Rfc("7641-3.5-1", "7641-3.6-1")]
    public async Task Each_notification_after_the_cancellation_gets_a_Reset()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await observation.DisposeAsync();
        Answer(TakeRequest(), null, "last");
        for (uint i = 2; i < 5; i++)
        {
            ushort id = Notify(registration.Token, i, "late", confirmable: i % 2 == 0);
            Transport.HasSent($"7000{id:x4}");
        }
    }

    [Fact]
    public async Task A_copy_of_a_notification_that_was_rejected_is_rejected_again()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await observation.DisposeAsync();
        Clock.Advance(FromSeconds(100));
        TakeRequests();

        for (int copy = 0; copy < 2; copy++)
        {
            Receive(CoapMessageType.Confirmable, 0x1234, registration.Token, 2, "still notifying", null, null, null, null);
            Transport.HasSent("70001234");
        }
    }

    [Fact]
    public async Task A_client_that_leaves_an_observation_sends_no_Reset_to_later_notifications()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        observation.LeaveRegistered();

        Notify(registration.Token, 2, "goes on", confirmable: false);
        Notify(registration.Token, 3, "goes on");

        Assert.DoesNotContain(Transport.TakeSent(), static sent => sent.StartsWith("7000", Ordinal));
        Assert.Equal(2, Endpoint.Counters[CoapCounter.RefusedNotifications]);
    }

    [Fact]
    [Rfc("7641-3.6-1")]
    public async Task A_Reset_to_the_next_notification_replaces_a_lost_cancellation()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await observation.DisposeAsync();
        Clock.Advance(FromSeconds(100));
        Assert.Equal(5, TakeRequests().Length);
        Assert.Equal(1, StandingRequests);
        ushort id = Notify(registration.Token, 2, "still notifying");
        Transport.HasSent($"7000{id:x4}");
        id = Notify(registration.Token, 3, "still notifying", confirmable: false);
        Transport.HasSent($"7000{id:x4}");
        Assert.Equal(2, Endpoint.Counters[CoapCounter.RefusedNotifications]);
        Clock.Advance(FromSeconds(150));
        AssertFreed();
        id = Notify(registration.Token, 4, "still notifying");
        Transport.HasSent($"7000{id:x4}");
    }

    [Fact]
    [Rfc("7641-3.6-3")]
    public async Task A_late_notification_reaches_no_other_request()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await observation.DisposeAsync();
        Answer(TakeRequest(), null, "last");
        HashSet<CoapToken> tokens = [registration.Token];
        for (int i = 0; i < 500; i++)
        {
            Task<CoapResponse> request = Client.GetAsync(Uri);
            CoapMessage sent = TakeRequest();
            Assert.True(tokens.Add(sent.Token));
            Notify(registration.Token, (uint)i, "late");
            Assert.False(request.IsCompleted);
            Transport.TakeSent();
            Answer(sent, null, $"{i}");
            await Within(request).Says($"{i}");
        }
    }

    [Fact]
    public async Task A_Reset_to_the_cancellation_completes_the_cancellation()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        await observation.DisposeAsync();
        Transport.Receive(s_server, $"7000{TakeRequest().MessageId:x4}");
        AssertFreed();
        Assert.Equal(0, Timers);
    }

    [Fact]
    public async Task A_separate_response_completes_the_cancellation_too()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await observation.DisposeAsync();
        Transport.Receive(s_server, $"6000{TakeRequest().MessageId:x4}");
        NotifyAcknowledged(registration.Token, null, "last");
        AssertFreed();
    }

    [Fact]
    public async Task An_observation_that_was_never_registered_is_disposed_without_a_cancellation()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        Answer(TakeRequest(), null, "plain");
        await (await Within(registering)).DisposeAsync();
        Transport.HasSentNothing();
        AssertFreed();
        Assert.Equal(0, Timers);
    }

    [Fact]
    public async Task Disposing_an_observation_that_waits_to_register_again_frees_everything_at_once()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        NotifyAcknowledged(registration.Token, null, string.Empty, code: CoapCode.InternalServerError);
        await observation.DisposeAsync();
        Transport.HasSentNothing();
        AssertFreed();
        Clock.Advance(FromHours(1));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_disposed_client_acknowledges_no_notification()
    {
        (_, CoapMessage registration) = await RegisterAsync();
        await Client.DisposeAsync();
        Transport.TakeSent();

        Notify(registration.Token, 2, "two");

        Transport.HasSentNothing();
    }

    [Fact]
    public async Task Disposing_an_observation_a_second_time_sends_nothing()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        await observation.DisposeAsync();
        TakeRequest();
        await observation.DisposeAsync();
        Transport.HasSentNothing();
        Assert.Equal(1, Endpoint.Observed.Count);
    }

    [Fact]
    public async Task A_stopped_endpoint_ends_its_observations()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        List<string> read = [];
        async Task ReadAsync()
        {
            await foreach (CoapResponse response in observation.ReadAllAsync())
            {
                read.Add(response.GetText());
            }
        }

        Task reading = ReadAsync();
        await Within(Client.Endpoint.StopAsync());
        await Assert.ThrowsAsync<CoapException>(() => Within(reading));
        Assert.Equal(CoapObserveState.Failed, observation.State);
        Assert.Equal(["one"], read);
        await Assert.ThrowsAsync<CoapException>(() => Client.ObserveAsync(Uri));
        await observation.DisposeAsync();
        AssertFreed();
    }

    [Fact]
    public async Task A_notification_method_may_dispose_its_observation()
    {
        CoapObservation? observation = null;
        int calls = 0;
        CoapMessage registration;
        (observation, registration) = await RegisterAsync(options: new CoapObservationOptions
        {
            OnNotification = response =>
            {
                calls++;
                _ = observation?.DisposeAsync().AsTask();
            },
        });
        NotifyAcknowledgedThenCancel(registration);
        Assert.Equal(2, calls);
        AssertFreed();
    }

    private void NotifyAcknowledgedThenCancel(CoapMessage registration)
    {
        Notify(registration.Token, 2, "two");
        CoapMessage cancellation = Assert.Single(TakeRequests());
        Assert.Equal(1u, cancellation.Options.Observe);
        Answer(cancellation, null, "last");
    }
}
