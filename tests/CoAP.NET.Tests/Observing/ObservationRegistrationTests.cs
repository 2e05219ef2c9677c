using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Observing;

public sealed class ObservationRegistrationTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.2-1")]
    public async Task The_first_success_with_Observe_makes_the_state_Observing()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        string hex = Assert.Single(Transport.TakeSent());
        CoapMessage request = Read(hex);
        Assert.Equal((CoapMessageType.Confirmable, CoapCode.Get), (request.Type, request.Code));

        // Observe 0 is an option of no bytes, before Uri-Path.
        hex.Ends("60536f6273");
        Assert.False(registering.IsCompleted);
        Answer(request, 12, "22.9 C");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        observation.Latest.Says("22.9 C");
        Assert.Null(observation.Error);
        Assert.Equal(1, StandingRequests);
    }

    [Fact]
    [Rfc("7641-3.2-1")]
    public async Task A_success_without_Observe_makes_the_state_NotObserving()
    {
        List<CoapObserveState> states = [];
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        Answer(TakeRequest(), null, "plain", maxAge: 30);
        await using CoapObservation observation = await Within(registering);
        observation.StateChanged += (_, state) => states.Add(state);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        observation.Latest.Says("plain");

        // Asked again when the plain response is no longer current; then there is room for an observer.
        (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(60));
        Assert.InRange(after.TotalSeconds, 34.9, 45.5);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        Answer(again, 5, "observed");
        Assert.Equal(CoapObserveState.Observing, observation.State);
        observation.Latest.Says("observed");
        Assert.Equal([CoapObserveState.Observing], states);
    }

    [Fact]
    public async Task A_server_that_never_accepts_the_observation_is_asked_at_increasing_intervals()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        Answer(TakeRequest(), null, "plain", maxAge: 1);
        await using CoapObservation observation = await Within(registering);
        TimeSpan last = default;
        for (int i = 0; i < 12; i++)
        {
            (CoapMessage again, last) = NextRequest(FromMinutes(6));
            Answer(again, null, $"{i}", maxAge: 1);
        }

        Assert.InRange(last.TotalSeconds, 149, 301);
        observation.Latest.Says("11");
    }

    [Fact]
    public async Task A_response_without_Observe_ends_an_observation_with_CoapReregistration_Never()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(new CoapRequest(CoapMethod.Get, Uri),
            new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        Answer(TakeRequest(), null, "plain");
        await using CoapObservation observation = await Within(registering);
        List<string> read = [];
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            read.Add(response.GetText());
        }

        Assert.Equal(["plain"], read);
        Assert.Equal(CoapObserveState.NotObserving, observation.State);
        Assert.Equal(0, StandingRequests);
        await observation.DisposeAsync();
        AssertFreed();
    }

    [Fact]
    [Rfc("7641-3.5-3")]
    public async Task A_separate_response_registers_too()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        CoapMessage request = TakeRequest();
        Transport.Receive(s_server, $"6000{request.MessageId:x4}");
        Clock.Advance(FromSeconds(20));
        Transport.HasSentNothing();
        NotifyAcknowledged(request.Token, 1, "late");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        observation.Latest.Says("late");
    }

    [Fact]
    public async Task A_notification_before_the_registration_response_registers_and_stops_retransmissions()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        CoapMessage request = TakeRequest();
        NotifyAcknowledged(request.Token, 8, "second");
        await using CoapObservation observation = await Within(registering);
        observation.Latest.Says("second");
        Answer(request, 7, "first");
        observation.Latest.Says("second");
        Clock.Advance(FromSeconds(50));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task An_observation_can_be_registered_by_a_Non_confirmable_request()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(new CoapRequest(CoapMethod.Get, Uri) { Confirmable = false });
        CoapMessage request = TakeRequest();
        Assert.Equal(CoapMessageType.NonConfirmable, request.Type);
        Notify(request.Token, 1, "non", confirmable: false);
        Transport.HasSentNothing();
        await using CoapObservation observation = await Within(registering);
        observation.Latest.Says("non");
    }

    [Fact]
    public async Task A_lost_registration_is_retransmitted_and_a_silent_server_is_retried_without_end()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        CoapMessage first = TakeRequest();
        Clock.Advance(FromSeconds(94));
        Assert.Equal(4, TakeRequests().Count(message => message.MessageId == first.MessageId));
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, Assert.IsType<CoapTimeoutException>(observation.Error).Reason);
        Assert.Null(observation.Latest);
        Clock.Advance(FromHours(5));
        CoapMessage last = TakeRequests()[^1];
        Assert.Equal(first.Token, last.Token);

        // It is there again.
        while (observation.State != CoapObserveState.Observing)
        {
            (CoapMessage request, _) = NextRequest(FromMinutes(10));
            Answer(request, 1, "back");
        }

        observation.Latest.Says("back");
        Assert.Null(observation.Error);
    }

    [Fact]
    public async Task A_silent_server_fails_a_registration_with_CoapReregistration_Never()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(new CoapRequest(CoapMethod.Get, Uri),
            new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        Clock.Advance(FromSeconds(94));
        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(registering));
        AssertFreed();
    }

    [Fact]
    public async Task All_addresses_of_a_name_are_tried()
    {
        Task<CoapObservation> registering = Client.ObserveAsync("coap://two.example/obs");
        (CoapAddress remote, byte[] bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_stranger, remote);
        Transport.Context.PortUnreachable(s_stranger, Endpoints.DirectTransport.Local, bytes);
        (remote, bytes) = Assert.Single(Transport.TakeAll());
        Assert.Equal(s_server, remote);
        Answer(Read(Wire.Hex(bytes)), 1, "there");
        await using CoapObservation observation = await Within(registering);
        observation.Latest.Says("there");
        Assert.Equal(s_server, observation.Latest!.Remote);
    }

    [Fact]
    public async Task A_name_that_cannot_be_resolved_is_tried_again()
    {
        bool isKnown = false;
        Options.Transports.ResolveHost = (_, _) => isKnown
            ? Task.FromResult(new[] { IPAddress.Parse("192.0.2.1") })
            : Task.FromException<IPAddress[]>(new System.Net.Sockets.SocketException(11001));
        await using CoapObservation observation = await Within(Client.ObserveAsync("coap://new.example/obs"));
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        observation.Error!.Mentions("new.example");
        isKnown = true;
        (CoapMessage request, _) = NextRequest(FromSeconds(10));
        Answer(request, 1, "found");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task Observing_an_invalid_request_or_target_throws_at_once()
    {
        await Assert.ThrowsAsync<ArgumentException>(() => Client.ObserveAsync(new CoapRequest(CoapMethod.Put, Uri)));
        await Assert.ThrowsAsync<ArgumentException>(() => Client.ObserveAsync("http://192.0.2.1/obs"));
        await Assert.ThrowsAsync<ArgumentException>(() => Client.ObserveAsync(new CoapRequest(new CoapMessage(CoapCode.Get))));
        await Assert.ThrowsAsync<CoapException>(() => Client.ObserveAsync("coap://224.0.1.187/obs"));
        await Assert.ThrowsAsync<CoapException>(() => Client.ObserveAsync("coaps://192.0.2.1/obs"));
        AssertFreed();
    }

    [Fact]
    public async Task Cancelling_ObserveAsync_cancels_the_registration_at_the_server()
    {
        using CancellationTokenSource cancel = new();
        Task<CoapObservation> registering = Client.ObserveAsync(Uri, cancel.Token);
        CoapMessage request = TakeRequest();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(registering));

        // It may have arrived, so the server is told; a peer that was not heard yet only as often as PROBING_RATE allows.
        (CoapMessage cancellation, _) = NextRequest(FromSeconds(20));
        Assert.Equal((1u, request.Token), (cancellation.Options.Observe, cancellation.Token));
        Answer(cancellation, null, "x");
        AssertFreed();
    }

    [Fact]
    public async Task A_registration_answers_an_Echo_challenge()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        CoapMessage request = TakeRequest();
        Challenge(request, "0102030405");
        CoapMessage second = TakeRequest();
        Assert.Equal("0102030405", Wire.Hex(second.Options.Echo!.Value.Span));
        Assert.Equal((0u, request.Token), (second.Options.Observe, second.Token));
        Answer(second, 1, "now");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    [Rfc("9175-2.3-2")]
    public async Task A_registration_answers_the_Echo_challenge_of_each_proxy_on_its_path()
    {
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);
        CoapMessage request = TakeRequest();
        foreach (string echo in new[] { "01", "02", "03" })
        {
            Challenge(request, echo);
            request = TakeRequest();
            Assert.Equal((0u, echo), (request.Options.Observe, Wire.Hex(request.Options.Echo!.Value.Span)));
        }

        Answer(request, 1, "now");
        await using CoapObservation observation = await Within(registering);
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    [Rfc("9175-2.3-2")]
    public async Task A_registration_challenged_repeatedly_waits_and_later_answers_the_last_challenge()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 20);
        await using CoapObservation disposed = observation;
        (CoapMessage request, _) = NextRequest(FromSeconds(40));
        foreach (string echo in new[] { "01", "02", "03" })
        {
            Challenge(request, echo);
            request = TakeRequest();
        }

        Challenge(request, "04");
        Transport.HasSentNothing();
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        (request, _) = NextRequest(FromHours(1));
        Assert.Equal((0u, "04"), (request.Options.Observe, Wire.Hex(request.Options.Echo!.Value.Span)));

        // Its challenges are counted anew: an Echo of long ago may be too old by now.
        Challenge(request, "05");
        request = TakeRequest();
        Assert.Equal("05", Wire.Hex(request.Options.Echo!.Value.Span));
        Answer(request, 2, "now");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    private void Challenge(CoapMessage request, string echo)
    {
        CoapMessage challenge = new(CoapCode.Unauthorized)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = request.MessageId,
            Token = request.Token
        };
        challenge.Options.Echo = Wire.Hex(echo);
        Receive(challenge);
    }
}
