using System.Net;

namespace CoAP.NET.Tests.Observing;

/// <summary>Registering again because the program wants it now.</summary>
public sealed class RefreshingTests : ClientObserveTest
{
    [Fact]
    public async Task RefreshAsync_registers_at_once_while_the_observation_waits_after_an_error()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, "gone", maxAge: 3600, code: CoapCode.NotFound);
        Clock.Advance(FromMinutes(1));
        Transport.HasSentNothing();

        Task<CoapResponse> refreshing = observation.RefreshAsync();
        CoapMessage again = TakeRequest();
        Assert.Equal(0u, again.Options.Observe);
        Assert.False(refreshing.IsCompleted);
        Answer(again, 9, "here again");

        await Within(refreshing).Says("here again");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task RefreshAsync_registers_again_with_the_same_token()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;

        Task<CoapResponse> first = observation.RefreshAsync();
        Task<CoapResponse> second = observation.RefreshAsync();
        CoapMessage again = TakeRequest();
        Assert.Equal(registration.Token, again.Token);
        Answer(again, 2, "two");

        await Within(first).Says("two");
        await Within(second).Says("two");
    }

    [Fact]
    public async Task RefreshAsync_returns_an_error_response_and_resets_the_backoff()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, "gone", code: CoapCode.NotFound);
        for (int i = 0; i < 5; i++)
        {
            (CoapMessage tried, _) = NextRequest(FromMinutes(6));
            Answer(tried, null, "gone", code: CoapCode.NotFound);
        }

        Task<CoapResponse> refreshing = observation.RefreshAsync();
        Answer(TakeRequest(), null, "still gone", code: CoapCode.NotFound);

        await Within(refreshing).Gives(CoapCode.NotFound);
        (_, TimeSpan after) = NextRequest(FromMinutes(6));
        Assert.InRange(after.TotalSeconds, 2.4, 5.2);
    }

    [Fact]
    public async Task RefreshAsync_throws_when_the_server_does_not_answer_and_registration_is_retried()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        await using CoapObservation disposed = observation;

        Task<CoapResponse> refreshing = observation.RefreshAsync();
        Clock.Advance(FromSeconds(94));

        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(refreshing));
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Assert.NotEmpty(Transport.TakeSent());
    }

    [Fact]
    public async Task Cancelling_RefreshAsync_does_not_cancel_the_registration()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        using CancellationTokenSource source = new();

        Task<CoapResponse> refreshing = observation.RefreshAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(refreshing));
        Answer(TakeRequest(), 2, "two");

        observation.Latest.Says("two");
    }

    [Fact]
    public async Task RefreshAsync_of_an_ended_observation_throws_the_reason()
    {
        CoapObservationOptions never = new() { Reregistration = CoapReregistrationPolicy.Never };
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(options: never);
        NotifyAcknowledged(registration.Token, null, "gone", code: CoapCode.NotFound);
        await Assert.ThrowsAsync<CoapResponseException>(() => Within(observation.RefreshAsync()));
        await observation.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(observation.RefreshAsync()));
    }

    [Fact]
    public async Task Disposing_the_observation_ends_a_waiting_RefreshAsync()
    {
        (CoapObservation observation, _) = await RegisterAsync();
        Task<CoapResponse> refreshing = observation.RefreshAsync();
        await observation.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(refreshing));
    }

    [Theory]
    [InlineData("answer")]
    [InlineData("error")]
    [InlineData("reset")]
    public async Task A_late_reply_to_an_earlier_registration_changes_nothing(string reply)
    {
        CoapMessage? earlier = null;
        Options.Transports.ResolveHost = (_, _) =>
        {
            // The observation is busy with its next registration, and handles the reply only when it has left.
            CoapMessage? replied = Interlocked.Exchange(ref earlier, null);
            if (replied is not null && reply == "reset")
            {
                ResetMessage(replied);
            }
            else if (replied is not null)
            {
                Answer(replied, reply == "error" ? null : 2, "late", code: reply == "error" ? CoapCode.NotFound : null);
            }

            return Task.FromResult(new[] { IPAddress.Parse("192.0.2.1") });
        };
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(uri: "coap://device.example/obs");
        await using CoapObservation disposed = observation;
        Task<CoapResponse> first = observation.RefreshAsync();
        CoapMessage superseded = TakeRequest();
        NotifyAcknowledged(registration.Token, 7, "notified");
        await Within(first).Says("notified");

        earlier = superseded;
        Task<CoapResponse> second = observation.RefreshAsync();

        Assert.Null(earlier);
        CoapMessage current = TakeRequest();
        Assert.NotEqual(superseded.MessageId, current.MessageId);
        Assert.False(second.IsCompleted);
        Assert.Null(observation.Error);
        observation.Latest.Says("notified");

        // The reply to the current one counts.
        Answer(current, 8, "current");
        await Within(second).Says("current");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task A_late_notification_of_the_previous_address_changes_nothing()
    {
        CoapToken? previous = null;
        Options.Transports.ResolveHost = (_, _) =>
        {
            if (previous is not { } token)
            {
                return Task.FromResult(new[] { IPAddress.Parse("192.0.2.1") });
            }

            // The observation is busy with its registration at the new address, and handles the notification only when it has left.
            Notify(token, 9, "from the previous address", confirmable: false);
            return Task.FromResult(new[] { IPAddress.Parse("192.0.2.9") });
        };
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(uri: "coap://moves.example/obs");
        await using CoapObservation disposed = observation;

        previous = registration.Token;
        Task<CoapResponse> refreshing = observation.RefreshAsync();

        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_stranger, remote);
        Assert.False(refreshing.IsCompleted);
        observation.Latest.Says("one");
        Answer(Read(Wire.Hex(bytes)), 1, "from the new address", from: remote);
        await Within(refreshing).Says("from the new address");
    }
}
