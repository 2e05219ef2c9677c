using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Transports.Udp;

namespace CoAP.NET.Tests.Observing;

/// <summary>Observations that a process before had: they go on with their token.</summary>
public sealed class ResumedObservationTests : ClientObserveTest
{
    private static readonly CoapToken s_token = new([1, 2, 3, 4, 5]);

    [Fact]
    [Rfc("7641-3.6-2")]
    public async Task A_resumed_observation_receives_notifications_and_is_cancelled_without_its_own_registration()
    {
        CoapObservation observation = await ResumeAsync(Heard(7));
        Transport.HasSentNothing();
        Assert.Equal((CoapObserveState.Observing, null), (observation.State, observation.Latest));

        NotifyAcknowledged(s_token, 8, "two");
        observation.Latest.Says("two");
        await using (CoapObservation other = await Within(Client.ObserveAsync(Uri)))
        {
            other.Latest.Says("two");
        }

        Transport.HasSentNothing();
        await observation.DisposeAsync();
        CoapMessage cancellation = TakeRequest();
        Assert.Equal((s_token, 1u), (cancellation.Token, cancellation.Options.Observe));
        Answer(cancellation, null, "bye");
        AssertFreed();
    }

    [Fact]
    [Rfc("7641-3.4-1")]
    public async Task A_notification_older_than_the_kept_position_is_dropped_for_128_seconds_of_the_wall_clock()
    {
        await using CoapObservation observation = await ResumeAsync(Heard(100, FromSeconds(100), FromHours(1)));
        NotifyAcknowledged(s_token, 99, "old");
        NotifyAcknowledged(s_token, 100, "same");
        Assert.Null(observation.Latest);
        Clock.Advance(FromSeconds(29));
        NotifyAcknowledged(s_token, 99, "restarted");
        observation.Latest.Says("restarted");
    }

    [Theory]
    [InlineData(40, 20)]
    [InlineData(1000, 0)]
    [InlineData(-500, 60)]
    [Rfc("7641-3.3.1-2")]
    public async Task Max_Age_of_a_resumed_observation_counts_from_the_exported_notification_and_its_token_stays(int heardAgo, int left)
    {
        await using CoapObservation observation = await ResumeAsync(Heard(7, FromSeconds(heardAgo)));
        (CoapMessage again, TimeSpan after) = NextRequest(FromMinutes(2));
        Assert.InRange(after.TotalSeconds, left + 4.9, left + 15.2);
        Assert.Equal((s_token, 0u), (again.Token, again.Options.Observe));
        Answer(again, 1, "again");
        Assert.Equal((CoapObserveState.Observing, "again"), (observation.State, Text(observation.Latest)));
    }

    [Fact]
    public async Task A_resumed_observation_without_an_exported_position_registers_again_with_its_token()
    {
        Task<CoapObservation> resuming = ResumeAsync(null);
        CoapMessage registration = TakeRequest();
        Assert.Equal((s_token, 0u), (registration.Token, registration.Options.Observe));
        Assert.False(resuming.IsCompleted);
        Answer(registration, 1, "one");
        await using CoapObservation observation = await Within(resuming);
        observation.Latest.Says("one");
        NotifyAcknowledged(s_token, 2, "two");
        observation.Latest.Says("two");
    }

    [Fact]
    public async Task An_exported_observation_state_can_be_serialized_and_resumed_by_another_process()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(5, "one", maxAge: 90);
        Clock.Advance(FromSeconds(10));
        CoapExportedObservation? kept = await Within(observation.ExportAsync());
        Assert.Equal(registration.Token, kept!.Request.Token);
        Assert.Equivalent(new CoapNotificationPosition(5, Clock.GetUtcNow() - FromSeconds(10), FromSeconds(90)), kept.Heard);
        Assert.Equal(s_server.ToIPEndPoint(), kept.Address);
        byte[] bytes = CoapDatagramSerializer.Default.Serialize(kept.Request);

        observation.LeaveRegistered();
        Transport.HasSentNothing();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => observation.ExportAsync());

        // Its token still stands here, so that what comes late gets no Reset.
        Notify(registration.Token, 6, "elsewhere");
        Notify(registration.Token, 6, "elsewhere", confirmable: false);
        Transport.HasSentNothing();
        Assert.Equal(1, StandingRequests);
        CoapExportedObservation read = new(kept.Uri!, CoapDatagramSerializer.Default.Deserialize(bytes)) { Heard = kept.Heard };
        CoapException taken = await Failure.OfAsync(CoapError.TokenInUse, () => Endpoint.ResumeObservationAsync(read));
        taken.Mentions(registration.Token.ToString());

        Clock.Advance(CoapTransmissionParameters.Default.ExchangeLifetime + FromSeconds(1));
        AssertFreed();
        await using CoapObservation again = await Within(Endpoint.ResumeObservationAsync(read));
        NotifyAcknowledged(registration.Token, 6, "two");
        again.Latest.Says("two");
    }

    [Fact]
    public async Task A_blockwise_notification_of_a_resumed_observation_is_fetched_completely()
    {
        await using CoapObservation observation = await ResumeAsync(Heard(7));
        CoapMessage first = new(CoapCode.Content)
        {
            Type = CoapMessageType.Confirmable, MessageId = 9, Token = s_token, Payload = new byte[16],
        };
        first.Options.Observe = 8;
        first.Options.Block2 = new BlockValue(0, more: true, sizeExponent: 0);
        Receive(first);
        CoapMessage rest = Assert.Single(TakeRequests());
        Assert.Equal((new BlockValue(1, false, 0), null), (rest.Options.Block2, rest.Options.Observe));
        CoapMessage last = new(CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement, MessageId = rest.MessageId, Token = rest.Token, Payload = new byte[3],
        };
        last.Options.Block2 = rest.Options.Block2;
        Receive(last);
        await foreach (CoapResponse response in observation.ReadAllAsync())
        {
            Assert.Equal(19, response.Payload.Length);
            break;
        }
    }

    [Fact]
    public void The_token_of_a_resumed_observation_is_never_assigned_to_another_request()
    {
        PeerExchanges twin = new(new VirtualRandom(7));
        CoapToken[] given = [.. Enumerable.Range(0, 4).Select(_ => twin.NextToken(4))];
        PeerExchanges peer = new(new VirtualRandom(7));
        Assert.True(peer.TryReserve(given[0]));
        Assert.True(peer.TryReserve(given[1]));
        Assert.True(peer.TryReserve(given[3]));
        Assert.Equal(given[2], peer.NextToken(4));
        Assert.DoesNotContain(peer.NextToken(4), given);
    }

    [Fact]
    public async Task Notifications_before_an_observation_is_resumed_are_queued_and_the_newest_is_delivered_then()
    {
        using IDisposable hold = Endpoint.PauseNotifications(FromSeconds(30));
        await Endpoint.StartAsync();
        Notify(s_token, 8, "eight");
        ushort newest = Notify(s_token, 9, "nine");
        Assert.DoesNotContain(Transport.TakeSent(), static sent => sent.StartsWith('7'));
        await using CoapObservation observation = await ResumeAsync(Heard(7));
        Transport.HasSent($"6000{newest:x4}");
        observation.Latest.Says("nine");
    }

    [Fact]
    public async Task Responses_that_are_no_notifications_are_not_queued()
    {
        using IDisposable hold = Endpoint.PauseNotifications(FromSeconds(30));
        await Endpoint.StartAsync();
        ushort response = Notify(s_token, null, "nobody asked");
        Transport.HasSent($"7000{response:x4}");
    }

    [Fact]
    public async Task A_notification_that_arrives_while_its_observation_is_resumed_is_never_rejected()
    {
        await Endpoint.StartAsync();
        CountingScheduler threads = new();
        for (int round = 0; round < 1_000; round++)
        {
            CoapMessage request = Request();
            request.Token = new CoapToken([9, (byte)(round >> 8), (byte)round]);
            IDisposable hold = Endpoint.PauseNotifications(FromSeconds(30));
            Task<CoapObservation>? resuming = null;
            using Barrier begin = new(2);
            Task other = threads.RunAsync(() =>
            {
                begin.SignalAndWait();
                resuming = Endpoint.ResumeObservationAsync(new CoapExportedObservation("coap://192.0.2.1", request) { Heard = Heard(7) });
                hold.Dispose();
            });
            begin.SignalAndWait();
            ushort id = Notify(request.Token, 8, "eight");
            await other;
            CoapObservation observation = await Within(resuming!);
            Transport.HasSent($"6000{id:x4}");
            observation.Latest.Says("eight");
            observation.LeaveRegistered();
        }
    }

    [Fact]
    [Rfc("7641-3.5-1")]
    public async Task A_queued_notification_of_no_resumed_observation_is_rejected_when_the_pause_is_disposed_or_expires()
    {
        await Endpoint.StartAsync();
        IDisposable hold = Endpoint.PauseNotifications(FromSeconds(1));
        IDisposable other = Endpoint.PauseNotifications(FromSeconds(90));
        ushort first = Notify(s_token, 8, "eight", confirmable: false);
        hold.Dispose();
        hold.Dispose();
        Transport.HasSentNothing();
        other.Dispose();
        Transport.HasSent($"7000{first:x4}");

        using IDisposable forgotten = Endpoint.PauseNotifications(FromSeconds(1));
        ushort second = Notify(s_token, 9, "nine", confirmable: false);
        Clock.Advance(FromSeconds(0.9));
        Transport.HasSentNothing();
        Clock.Advance(FromSeconds(0.3));
        Transport.HasSent($"7000{second:x4}");

        ushort third = Notify(s_token, 10, "ten", confirmable: false);
        Transport.HasSent($"7000{third:x4}");
        Assert.Equal(0, Pins);
    }

    [Fact]
    public async Task A_peer_that_floods_queued_notifications_displaces_only_its_own()
    {
        using IDisposable hold = Endpoint.PauseNotifications(FromSeconds(90));
        await Endpoint.StartAsync();
        ushort honest = Notify(s_token, 8, "honest");
        for (int i = 0; i < UnmatchedNotificationQueue.MaxCount + 100; i++)
        {
            Notify(new CoapToken([9, (byte)(i >> 8), (byte)i]), 1, "flood", confirmable: false, from: s_stranger);
        }

        Assert.Equal(101, Endpoint.Counters[CoapCounter.NotificationsNotHeld]);
        Transport.HasSentNothing();
        await using CoapObservation observation = await ResumeAsync(Heard(7));
        observation.Latest.Says("honest");
        Transport.HasSent($"6000{honest:x4}");

        // What was let go is a new message when its copy comes.
        hold.Dispose();
        Assert.Equal(UnmatchedNotificationQueue.MaxCount - 1,
            Transport.TakeSent().Count(static sent => sent.StartsWith("7000", Ordinal)));
    }

    [Fact]
    public async Task Adopting_an_invalid_observation_state_is_refused_with_the_reason()
    {
        Assert.Contains("1 to 8 bytes",
            Assert.Throws<ArgumentException>(() => new CoapExportedObservation(Uri, new CoapMessage(CoapCode.Get)))
            .Message, Ordinal);
        Assert.Contains("GET or FETCH", Assert.Throws<ArgumentException>(
            () => new CoapExportedObservation(Uri, new CoapMessage(CoapCode.Put) { Token = s_token })).Message, Ordinal);
        Assert.Contains("registrations end with it", (await Assert.ThrowsAsync<ArgumentException>(
            () => Endpoint.ResumeObservationAsync(new CoapExportedObservation("coap+tcp://192.0.2.1", Request())))).Message, Ordinal);
        Assert.Contains("Set Address", (await Assert.ThrowsAsync<ArgumentException>(
            () => Endpoint.ResumeObservationAsync(new CoapExportedObservation("coap://one.example", Request())))).Message, Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>(() => Endpoint.PauseNotifications(TimeSpan.Zero));
        Assert.Throws<ArgumentOutOfRangeException>(() => Endpoint.PauseNotifications(FromSeconds(91)));
        AssertFreed();
    }

    private static CoapMessage Request()
    {
        CoapMessage request = new(CoapCode.Get) { Token = s_token };
        request.Options.Observe = 0;
        request.Options.Add(new UriPathOption("obs"));
        return request;
    }

    private CoapNotificationPosition Heard(uint number, TimeSpan ago = default, TimeSpan? maxAge = null) =>
        new(number, Clock.GetUtcNow() - ago, maxAge ?? FromSeconds(60));

    private Task<CoapObservation> ResumeAsync(CoapNotificationPosition? heard) =>
        Within(Endpoint.ResumeObservationAsync(new CoapExportedObservation("coap://192.0.2.1", Request()) { Heard = heard }));
}
