using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Tests.Connections;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 7: resources of others that we observe over connections.
public class ObserveStreamTests : ClientConnectionTest
{
    /// <summary>A notification with an empty Observe option, as TM-25.</summary>
    private static string Notification(Frame registration, string payload, string observe = "60") =>
        $"{observe.Length / 2 + 1 + (payload.Length / 2):x}{registration.Token.Length / 2:x}45{registration.Token}{observe}ff{payload}";

    private readonly Lock _gate = new();
    private readonly List<(DirectConnection Connection, Frame Frame)> _registrations = [];
    private readonly List<Frame> _cancellations = [];

    // Called on whatever thread sends; several observations register at once.
    private void AnswerRegistrations() => Answers = (connection, frame) =>
    {
        if (frame.Rest.StartsWith("6101", Ordinal))
        {
            lock (_gate)
            {
                _cancellations.Add(frame);
            }

            return Content(frame);
        }

        if (frame.Rest.StartsWith("60", Ordinal))
        {
            lock (_gate)
            {
                _registrations.Add((connection, frame));
            }

            return Notification(frame, "30");
        }

        return frame.Code is > 0 and < 32 ? Content(frame) : null;
    };

    [Fact]
    [Rfc("7641-8323-1")]
    [Rfc("8323-7.1-1", "8323-7.1-2")]
    public async Task The_client_ignores_the_Observe_value_and_uses_the_order_of_arrival()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        observation.Latest!.Says("0");
        (DirectConnection connection, Frame registration) = Assert.Single(_registrations);

        foreach ((string observe, string text) in new[]
        {
            ("6105", "31"), ("6103", "32"), ("60", "33"), ("6103", "34"), ("62ffff", "35"), ("60", "36")
        })
        {
            connection.Receive(Notification(registration, text, observe));
            observation.Latest!.Says(((char)Convert.ToInt32(text, 16)).ToString());
        }

        Assert.Equal(0, Counters[CoapCounter.NotificationsOutOfOrder]);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    [Rfc("7641-8323-2")]
    [Rfc("8323-7.4-1")]
    public async Task Disposing_an_observation_sends_Observe_1_and_the_response_frees_the_token()
    {
        AnswerRegistrations();
        await StartClientAsync();
        CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        DirectConnection connection = _registrations[0].Connection;

        await observation.DisposeAsync();

        Frame cancellation = Assert.Single(_cancellations);
        Assert.Equal(1, cancellation.Code);
        Assert.Equal("61015178", cancellation.Rest);
        Assert.Equal(_registrations[0].Frame.Token, cancellation.Token);
        Assert.Equal(0, Endpoint.Observed.Count);
        Assert.Equal(0, connection.Channel!.Pins);
        Assert.False(connection.IsClosed);
    }

    [Fact]
    public async Task The_client_does_not_register_again_while_the_connection_is_open()
    {
        AnswerRegistrations();
        Options.Transports.Streams.KeepAliveInterval = Timeout.InfiniteTimeSpan;
        await StartClientAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));

        Clock.Advance(FromHours(3));

        Assert.Single(_registrations);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        Assert.Equal(0, Counters[CoapCounter.Reregistrations]);
    }

    [Fact]
    [Rfc("8323-3.4-2")]
    public async Task An_observation_registers_again_on_a_new_connection_after_a_delay()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        DirectConnection first = _registrations[0].Connection;
        Clock.Advance(FromSeconds(10));

        first.Break(new IOException("reset"));

        Assert.Equal(CoapObserveState.Stale, observation.State);
        Assert.Equal(CoapError.Lost, Assert.IsType<CoapConnectionException>(observation.Error).Error);
        Assert.Equal(0, first.Channel!.Pins);
        Clock.Advance(FromMilliseconds(249));
        await SettleAsync();
        Assert.Single(Streams.OpenedByUs);
        Clock.Advance(FromMilliseconds(252));
        await UntilAsync(() => observation.State == CoapObserveState.Observing);
        Assert.Equal(2, _registrations.Count);
        Assert.NotSame(first, _registrations[1].Connection);
        Assert.Null(observation.Error);
    }

    [Fact]
    public async Task All_observations_of_one_target_share_the_new_connection()
    {
        AnswerRegistrations();
        await StartClientAsync();
        List<CoapObservation> observations = [];
        for (int i = 0; i < 20; i++)
        {
            observations.Add(await Within(Endpoint.ObserveAsync($"coap+tcp://192.0.2.1/{i}")));
        }

        Streams.OpenedByUs[0].Break(new IOException("reset"));
        Assert.All(observations, observation => Assert.Equal(CoapObserveState.Stale, observation.State));
        await PassUntilAsync(() => observations.TrueForAll(observation => observation.State == CoapObserveState.Observing));

        Assert.Equal(2, Streams.OpenedByUs.Count);
        Assert.Equal(40, _registrations.Count);
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }

        await SettleAsync();
        Assert.Equal(0, Streams.OpenedByUs[1].Channel!.Pins);
    }

    [Fact]
    public async Task The_client_keeps_reconnecting_with_growing_delays_until_a_server_listens()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        Failing = Refused;
        Streams.OpenedByUs[0].Break();

        await PassUntilAsync(() => Attempts >= 9);

        // Half of 0.5, 1, 2, 4, 8, 16 and 32 s at least.
        Assert.True(Clock.Elapsed > FromSeconds(30));
        Assert.NotEqual(CoapObserveState.Observing, observation.State);
        Failing = null;
        await PassUntilAsync(() => observation.State == CoapObserveState.Observing);
    }

    [Fact]
    public async Task The_client_delays_reconnecting_when_each_connection_ends_after_the_registration()
    {
        AnswerRegistrations();
        await StartClientAsync();
        Func<DirectConnection, Frame, string?> answers = Answers!;
        Answers = (connection, frame) =>
        {
            connection.Receive(answers(connection, frame)!);
            connection.Break(new IOException("reset"));
            return null;
        };
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        await PassUntilAsync(() => Attempts >= 9);
        Assert.True(Clock.Elapsed > FromSeconds(30));
    }

    [Fact]
    public async Task An_observation_that_does_not_reregister_fails_when_its_connection_ends()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(
            Endpoint.ObserveAsync(new CoapRequest(CoapMethod.Get, Target),
                new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never }));

        Streams.OpenedByUs[0].Break();

        Assert.Equal(CoapObserveState.Failed, observation.State);
        Assert.IsType<CoapConnectionException>(observation.Error);
        Clock.Advance(FromMinutes(10));
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task NotMoreOftenThan_delays_the_next_registration()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(
            Endpoint.ObserveAsync(new CoapRequest(CoapMethod.Get, Target),
                new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.NotMoreOftenThan(FromMinutes(2)) }));

        Streams.OpenedByUs[0].Break();
        Clock.Advance(FromSeconds(119));
        await SettleAsync();

        Assert.Single(Streams.OpenedByUs);
        Clock.Advance(FromSeconds(2));
        await UntilAsync(() => observation.State == CoapObserveState.Observing);
    }

    [Fact]
    public async Task The_client_waits_for_the_Hold_Off_of_a_Release_before_reconnecting()
    {
        AnswerRegistrations();
        await StartClientAsync();
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        Clock.Advance(FromSeconds(10));
        Streams.OpenedByUs[0].Receive(Release(300));
        Clock.Advance(FromSeconds(5));
        Assert.True(Streams.OpenedByUs[0].IsClosed);

        Clock.Advance(FromSeconds(290));
        await SettleAsync();
        Assert.Single(Streams.OpenedByUs);
        await PassUntilAsync(() => observation.State == CoapObserveState.Observing);
        Assert.Equal(2, Streams.OpenedByUs.Count);
    }

    [Fact]
    public async Task An_unanswered_registration_fails_after_ResponseTimeout()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { ResponseTimeout = FromSeconds(7) };
        await StartClientAsync();
        Task<CoapObservation> begun = Endpoint.ObserveAsync(new CoapRequest(CoapMethod.Get, Target),
            new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        await UntilAsync(() => Streams.OpenedByUs.Count == 1);
        Clock.Advance(FromSeconds(6));
        Assert.Equal(1, Endpoint.Observed.Registrations);
        Clock.Advance(FromSeconds(2));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(begun));
        Assert.Equal(CoapTimeoutReason.NoResponse, error.Reason);
        Assert.Equal(2, Streams.OpenedByUs[0].TakeSent().Length);
    }

    [Fact]
    public async Task The_end_of_the_connection_completes_a_pending_cancellation()
    {
        AnswerRegistrations();
        await StartClientAsync();
        CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        Answers = null;
        await observation.DisposeAsync();
        Assert.Equal(1, Endpoint.Observed.Count);

        Streams.OpenedByUs[0].Break();

        Assert.Equal(0, Endpoint.Observed.Count);
        Assert.Equal(0, Streams.OpenedByUs[0].Channel!.Pins);
        Clock.Advance(FromMinutes(10));
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task Disposing_an_observation_cancels_its_pending_connection_attempt()
    {
        AnswerRegistrations();
        await StartClientAsync();
        CoapObservation observation = await Within(Endpoint.ObserveAsync(Target));
        CancellationToken given = default;
        Streams.Connecting = (_, _, token) =>
        {
            given = token;
            return new TaskCompletionSource().Task.WaitAsync(token);
        };
        Streams.OpenedByUs[0].Break();
        await PassUntilAsync(() => given.CanBeCanceled);

        await observation.DisposeAsync();

        await UntilAsync(() => given.IsCancellationRequested);
        Assert.Equal(0, Endpoint.Observed.Count);
    }

    [Fact]
    public async Task An_observation_of_a_connected_device_ends_with_its_connection()
    {
        await StartClientAsync();
        CoapAddress remote = CoapAddress.FromIPv4(0xc0000205, 7000);
        for (int i = 0; i < 2; i++)
        {
            DirectConnection connection = Streams.Accept(remote);
            connection.Receive(LargeCsm);
            connection.TakeSent();
            Task<CoapObservation> begun = Assert.Single(Endpoint.ConnectedPeers).ObserveAsync("/3303");
            connection.Receive(Notification(new Frame(Assert.Single(connection.TakeSent())), "31"));
            CoapObservation observation = await Within(begun);

            connection.Break();

            Assert.Equal(CoapObserveState.Failed, observation.State);
            Assert.IsType<CoapConnectionException>(observation.Error);
            await observation.DisposeAsync();
            Assert.Equal(0, Endpoint.Observed.Count);
        }
    }

    [Fact]
    public async Task Registrations_over_TLS_omit_the_Uri_Host_option()
    {
        DirectStreamTransport secure = new("coaps+tcp");
        AnswerRegistrations();
        await StartClientAsync(secure);
        await using CoapObservation observation = await Within(Endpoint.ObserveAsync("coaps+tcp://one.example/x"));
        Assert.Equal("605178", Assert.Single(_registrations).Frame.Rest);
    }
}
