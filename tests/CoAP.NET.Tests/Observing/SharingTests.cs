namespace CoAP.NET.Tests.Observing;

public sealed class SharingTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.1-1")]
    public async Task Equal_targets_share_a_registration_until_the_last_observation_is_disposed()
    {
        Task<CoapObservation> first = Client.ObserveAsync(Uri);
        Task<CoapObservation> second = Client.ObserveAsync("coap://192.0.2.1:5683/obs");
        CoapMessage registration = TakeRequest();
        Answer(registration, 1, "one");
        CoapObservation one = await Within(first);
        CoapObservation two = await Within(second);
        CoapObservation three = await Within(Client.ObserveAsync(Uri));
        Transport.HasSentNothing();
        Assert.Equal((3, 1, 1), (Endpoint.Observed.Count, Endpoint.Observed.Registrations, StandingRequests));
        NotifyAcknowledged(registration.Token, 2, "two");
        Assert.All([one, two, three], observation => observation.Latest.Says("two"));
        Assert.Same(one.Latest, two.Latest);
        Assert.Throws<InvalidOperationException>(() => one.Latest!.Options.Clear());
        await one.DisposeAsync();
        await three.DisposeAsync();
        Transport.HasSentNothing();
        NotifyAcknowledged(registration.Token, 3, "three");
        two.Latest.Says("three");
        await two.DisposeAsync();
        Answer(TakeRequest(), null, "last");
        AssertFreed();
    }

    [Fact]
    [Rfc("7641-3.1-1", "7641-8132-1")]
    public async Task Different_options_and_payloads_are_different_targets()
    {
        List<CoapRequest> requests =
        [
            new(CoapMethod.Get, Uri),
            new(CoapMethod.Get, Uri) { Accept = CoapContentFormat.Json },
            new(CoapMethod.Get, Uri) { Accept = CoapContentFormat.Cbor },
            new(CoapMethod.Get, Uri + "?a"),
            new(CoapMethod.Get, Uri + "?b"),
            new(CoapMethod.Get, "coap://192.0.2.1:5684/obs"),
            new(CoapMethod.Fetch, Uri) { Content = CoapContent.Text("x") },
            new(CoapMethod.Fetch, Uri) { Content = CoapContent.Text("y") },
        ];
        CoapRequest alike = new(CoapMethod.Get, Uri) { Confirmable = false };
        alike.Options.ETag = new CoapETag(Wire.Hex("01"));
        alike.Options.Observe = 1;
        Transport.OnSent = (remote, bytes) =>
        {
            CoapMessage request = Read(Wire.Hex(bytes));
            if (request.Code.IsRequest)
            {
                Answer(request, request.Options.Observe == 0 ? 1u : null, "x", maxAge: 10_000, from: remote);
            }
        };
        List<CoapObservation> observations = [];
        foreach (CoapRequest request in requests.Concat(requests).Append(alike))
        {
            observations.Add(await Within(Client.ObserveAsync(request)));
        }

        CoapMessage[] sent = TakeRequests();
        Assert.Equal(8, sent.Length);
        Assert.Equal((17, 8), (Endpoint.Observed.Count, Endpoint.Observed.Registrations));
        Assert.Equal(["x", "y"],
            sent.Where(static request => request.Code == CoapCode.Fetch)
                .Select(static request => Encoding.UTF8.GetString(request.Payload.Span)));
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }

        Assert.Equal(8, TakeRequests().Count(static request => request.Options.Observe == 1));
        AssertFreed();
    }

    [Fact]
    public async Task An_observation_started_after_the_last_was_disposed_registers_with_another_token()
    {
        (CoapObservation observation, CoapMessage first) = await RegisterAsync();
        await observation.DisposeAsync();
        CoapMessage cancellation = TakeRequest();
        Task<CoapObservation> registering = Client.ObserveAsync(Uri);

        // One message at a time to one peer (NSTART).
        Transport.HasSentNothing();
        Answer(cancellation, null, "last");
        CoapMessage second = TakeRequest();
        Assert.NotEqual(first.Token, second.Token);
        Answer(second, 1, "again");
        await using CoapObservation again = await Within(registering);
        again.Latest.Says("again");
    }

    [Fact]
    public async Task The_most_active_reregistration_rule_of_the_sharing_observations_applies()
    {
        (CoapObservation never, _) = await RegisterAsync(maxAge: 5,
            options: new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        Clock.Advance(FromHours(1));
        Transport.HasSentNothing();
        CoapObservation auto = await Within(Client.ObserveAsync(Uri));
        Answer(TakeRequest(), 2, "two");
        never.Latest.Says("two");
        await auto.DisposeAsync();
        await never.DisposeAsync();
    }

    [Fact]
    public async Task An_observation_beyond_MaxObservations_is_refused_until_another_one_is_cancelled()
    {
        Options.Limits.Observe.MaxObservations = 2;
        (CoapObservation one, _) = await RegisterAsync();
        CoapObservation two = await Within(Client.ObserveAsync(Uri));
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => Client.ObserveAsync(Uri));
        exception.Mentions("MaxObservations");
        await two.DisposeAsync();
        two = await Within(Client.ObserveAsync(Uri));
        await two.DisposeAsync();
        await one.DisposeAsync();

        // It counts until it is cancelled.
        Assert.Equal(1, Endpoint.Observed.Count);
        Answer(TakeRequest(), null, "last");
        AssertFreed();
    }

    [Fact]
    public async Task A_snapshot_counts_observations_and_for_each_peer_the_registrations_that_they_share()
    {
        (CoapObservation one, _) = await RegisterAsync();
        CoapObservation two = await Within(Client.ObserveAsync(Uri));
        CoapDiagnosticSnapshot snapshot = Endpoint.GetSnapshot();
        Assert.Equal(2, snapshot.Observations);
        Assert.Equal(1, Assert.Single(snapshot.Peers).Observations);
        await one.DisposeAsync();
        await two.DisposeAsync();
        Answer(TakeRequest(), null, "last");
        AssertFreed();
    }

    [Fact]
    public async Task A_peer_can_be_observed_by_a_path()
    {
        CoapPeer? peer = null;
        Task<CoapResponse> get = Client.GetAsync(Uri);
        CoapMessage request = TakeRequest();
        Answer(request, null, "x");
        await Within(get);
        peer = CoapPeer.Of(Endpoint.Pipelines[0].Channels.All().Single());
        Task<CoapObservation> registering = peer.ObserveAsync("/3303/0/5700");
        CoapMessage registration = TakeRequest();
        Assert.Equal(["3303", "0", "5700"], registration.Options.GetAll<UriPathOption>().Select(static segment => segment.Value));
        Assert.Null(registration.Options.Get<UriHostOption>());
        Answer(registration, 1, "22");
        await using CoapObservation observation = await Within(registering);
        observation.Latest.Says("22");
        CoapObservation second = await Within(peer.ObserveAsync("/3303/0/5700"));
        Transport.HasSentNothing();
        await second.DisposeAsync();
    }
}
