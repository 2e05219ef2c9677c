using System.Net;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Observing;

public sealed class ReregisteringTests : ClientObserveTest
{
    [Fact]
    [Rfc("7641-3.3.1-2")]
    public async Task A_new_registration_has_the_same_token_and_options_except_for_the_ETag()
    {
        CoapRequest request = new(CoapMethod.Get, Uri + "?unit=K") { Accept = CoapContentFormat.Json };
        Task<CoapObservation> registering = Client.ObserveAsync(request);
        CoapMessage first = TakeRequest();
        Answer(first, 1, "one", maxAge: 10, etag: "0a0b");
        await using CoapObservation observation = await Within(registering);
        (CoapMessage second, _) = NextRequest(FromSeconds(26));
        Assert.Equal(first.Token, second.Token);
        Assert.NotEqual(first.MessageId, second.MessageId);
        Assert.Equal("0a0b", second.Options.ETag!.Value.ToString());
        second.Options.ETag = null;
        Assert.Equal(first.Options.ToString(), second.Options.ToString());
        Assert.Equal((first.Type, first.Code), (second.Type, second.Code));
        Assert.Equal(1, Endpoint.Counters[CoapCounter.Reregistrations]);
    }

    [Fact]
    [Rfc("7641-3.3.1-3")]
    public async Task A_new_registration_is_sent_5_to_15_seconds_after_Max_Age_evenly_distributed()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 20);
        await using CoapObservation disposed = observation;
        List<double> gaps = [];
        for (uint i = 2; i < 202; i++)
        {
            (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(40));
            gaps.Add(after.TotalSeconds - 20);
            Answer(again, i, $"{i}", maxAge: 20);
        }

        Assert.All(gaps, gap => Assert.InRange(gap, 4.9, 15.2));
        Assert.True(gaps.Min() < 6 && gaps.Max() > 14, $"{gaps.Min()} to {gaps.Max()}");
        Assert.InRange(gaps.Average(), 9, 11);
    }

    [Fact]
    public async Task NotMoreOftenThan_sets_the_minimum_time_between_registrations()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 5,
            options: new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.NotMoreOftenThan(FromMinutes(10)) });
        await using CoapObservation disposed = observation;
        (_, TimeSpan after) = NextRequest(FromMinutes(11));
        Assert.InRange(after.TotalSeconds, 599, 601);
    }

    [Fact]
    public void The_maximum_delay_after_a_failure_is_that_of_the_user()
    {
        CoapReregistrationPolicy rule = CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.Zero, FromHours(1));
        Assert.Equal(FromHours(1), rule.MaximumBackOff);
        Assert.Equal(FromMinutes(5), CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.Zero).MaximumBackOff);
        Assert.Throws<ArgumentOutOfRangeException>(
            "maximumBackOff", () => CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.Zero, FromSeconds(4)));
        Assert.Throws<ArgumentOutOfRangeException>(
            "maximumBackOff", () => CoapReregistrationPolicy.NotMoreOftenThan(TimeSpan.Zero, FromHours(25)));
    }

    [Fact]
    public async Task CoapReregistration_Never_leaves_a_stale_observation_without_a_new_registration()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 5,
            options: new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        await using CoapObservation disposed = observation;
        Clock.Advance(FromDays(2));
        Transport.HasSentNothing();
        Assert.Equal(CoapObserveState.Stale, observation.State);
        NotifyAcknowledged(registration.Token, 2, "still there");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task A_lower_Observe_value_in_a_registration_response_after_a_server_restart_is_accepted()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(number: 5000, maxAge: 10);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(26));
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Answer(again, 1, "after the restart");
        observation.Latest.Says("after the restart");
        NotifyAcknowledged(registration.Token, 2, "and on");
        observation.Latest.Says("and on");
    }

    [Fact]
    public async Task A_Non_confirmable_notification_without_an_acknowledgement_completes_a_new_registration()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 10);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(26));
        Notify(again.Token, 2, "two", maxAge: 100_000, confirmable: false);

        Clock.Advance(FromHours(1));

        Assert.All(TakeRequests(), copy => Assert.Equal(again.MessageId, copy.MessageId));
        Assert.Equal((CoapObserveState.Observing, "two"), (observation.State, Text(observation.Latest)));
        Assert.Null(observation.Error);
        Assert.Equal(1, Endpoint.Counters[CoapCounter.Reregistrations]);
    }

    [Fact]
    public async Task An_error_notification_is_delivered_and_a_new_registration_is_sent_after_its_Max_Age()
    {
        List<string> seen = [];
        (CoapObservation observation,
            CoapMessage registration) =
            await RegisterAsync(options: new CoapObservationOptions { OnNotification = response => seen.Add(response.ToString()) });
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, "gone", maxAge: 60, code: CoapCode.NotFound);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        Assert.Equal(CoapCode.NotFound, Assert.IsType<CoapResponseException>(observation.Error).Response.Code);
        Assert.Equal(["2.05 Content 3 B", "4.04 Not Found 4 B"], seen);
        (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(70));
        Assert.InRange(after.TotalSeconds, 59.9, 60.5);
        Answer(again, 7, "here again");
        observation.Latest.Says("here again");
        Assert.Null(observation.Error);
    }

    [Fact]
    public async Task An_error_without_Max_Age_is_followed_by_new_registrations_at_increasing_intervals()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, "gone", code: CoapCode.NotFound);
        double[] longest = [5, 10, 20, 40, 80, 160, 300, 300];
        foreach (double wait in longest)
        {
            (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(301));
            Assert.InRange(after.TotalSeconds, (wait / 2) - 0.1, wait + 0.2);
            Answer(again, null, "still gone", code: CoapCode.NotFound);
        }
    }

    [Theory]
    [Rfc("8516-4-2")]
    [InlineData(0xa3)] // 5.03
    [InlineData(0x9d)] // 4.29
    public async Task A_new_registration_after_5_03_or_4_29_without_Max_Age_waits_for_60_seconds(byte code)
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, string.Empty, code: new CoapCode(code));
        (_, TimeSpan after) = NextRequest(FromSeconds(61));
        Assert.InRange(after.TotalSeconds, 59.9, 60.5);
    }

    [Theory]
    [Rfc("8516-4-2")]
    [InlineData(0xa3)] // 5.03
    [InlineData(0x9d)] // 4.29
    public async Task A_new_registration_after_5_03_or_4_29_waits_for_its_Max_Age(byte code)
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, string.Empty, maxAge: 4000, code: new CoapCode(code));
        (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(4001));
        Assert.InRange(after.TotalSeconds, 3999.9, 4000.5);
        Answer(again, null, string.Empty, maxAge: 500, code: new CoapCode(code));
        (_, after) = NextRequest(FromSeconds(501));
        Assert.InRange(after.TotalSeconds, 499.9, 500.5);
    }

    [Fact]
    public async Task A_4_06_notification_is_followed_by_a_new_registration_within_seconds()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync();
        await using CoapObservation disposed = observation;
        NotifyAcknowledged(registration.Token, null, string.Empty, code: CoapCode.NotAcceptable);
        (CoapMessage again, TimeSpan after) = NextRequest(FromSeconds(6));
        Assert.InRange(after.TotalSeconds, 2.4, 5.2);
        Answer(again, 8, "{}");
        observation.Latest.Says("{}");
    }

    [Fact]
    public async Task An_error_notification_ends_an_observation_with_CoapReregistration_Never_after_its_delivery()
    {
        (CoapObservation observation,
            CoapMessage registration) =
                await RegisterAsync(options: new CoapObservationOptions { Reregistration = CoapReregistrationPolicy.Never });
        NotifyAcknowledged(registration.Token, null, "gone", code: CoapCode.NotFound);
        Assert.Equal(CoapObserveState.Failed, observation.State);
        List<CoapCode> read = [];
        await Assert.ThrowsAsync<CoapResponseException>(async () =>
        {
            await foreach (CoapResponse response in observation.ReadAllAsync())
            {
                read.Add(response.Code);
            }
        });
        Assert.Equal([CoapCode.NotFound], read);
        await observation.DisposeAsync();
        Transport.HasSentNothing();
        AssertFreed();
    }

    [Fact]
    public async Task A_Reset_to_a_registration_is_followed_by_a_new_registration_after_a_backoff()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 10);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(26));
        Transport.Receive(s_server, $"7000{again.MessageId:x4}");
        Failure.Is(CoapError.Reset, observation.Error);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        (again, TimeSpan after) = NextRequest(FromSeconds(6));
        Assert.InRange(after.TotalSeconds, 2.4, 5.2);
        Transport.Receive(s_server, $"7000{again.MessageId:x4}");
        (again, after) = NextRequest(FromSeconds(11));
        Assert.InRange(after.TotalSeconds, 4.9, 10.2);
        Answer(again, 1, "at last");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }

    [Fact]
    public async Task An_unreachable_port_is_tried_again()
    {
        (CoapObservation observation, _) = await RegisterAsync(maxAge: 10);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(26));
        Transport.Context.PortUnreachable(s_server, Endpoints.DirectTransport.Local, Wire.Hex($"4401{again.MessageId:x4}{again.Token}"));
        Failure.Is(CoapError.Unreachable, observation.Error);
        (again, _) = NextRequest(FromSeconds(6));
        Answer(again, 1, "up");
        observation.Latest.Says("up");
    }

    [Fact]
    public async Task A_notification_during_the_backoff_ends_the_backoff()
    {
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(maxAge: 10);
        await using CoapObservation disposed = observation;
        (CoapMessage again, _) = NextRequest(FromSeconds(26));
        Transport.Receive(s_server, $"7000{again.MessageId:x4}");
        Failure.Is(CoapError.Reset, observation.Error);
        Assert.Equal(CoapObserveState.Reregistering, observation.State);
        NotifyAcknowledged(registration.Token, 2, "alive", maxAge: 500);
        Assert.Equal(CoapObserveState.Observing, observation.State);
        Assert.Null(observation.Error);
        Clock.Advance(FromSeconds(499));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_registration_after_an_address_change_goes_to_the_new_address_with_another_token_and_no_ETag()
    {
        IPAddress address = IPAddress.Parse("192.0.2.1");
        Options.Transports.ResolveHost = (_, _) => Task.FromResult(new[] { address });
        (CoapObservation observation, CoapMessage registration) = await RegisterAsync(uri: "coap://moves.example/obs", maxAge: 10,
            etag: "aa");
        await using CoapObservation disposed = observation;
        address = IPAddress.Parse("192.0.2.9");
        Clock.Advance(FromSeconds(26));
        (CoapAddress remote, byte[] bytes) = Transport.TakeAll().First(static item => item.Bytes[1] == 1 && item.Remote == s_stranger);
        CoapMessage moved = Read(Wire.Hex(bytes));
        Assert.Null(moved.Options.ETag);
        Answer(moved, 1, "from the new place", from: remote, maxAge: 1000);
        observation.Latest.Says("from the new place");
        Assert.Equal(1, StandingRequests);

        // The one before notifies still: it is told that nobody listens there.
        ushort id = Notify(registration.Token, 9, "from the old place");
        Transport.HasSent($"7000{id:x4}");
        id = Notify(registration.Token, 10, "from the old place", confirmable: false);
        Transport.HasSent($"7000{id:x4}");
        observation.Latest.Says("from the new place");
    }

    [Fact]
    public async Task After_a_time_out_the_next_address_of_the_name_is_tried()
    {
        Task<CoapObservation> registering = Client.ObserveAsync("coap://two.example/obs");
        Assert.Equal(s_stranger, Assert.Single(Transport.TakeAll()).Remote);
        Clock.Advance(FromSeconds(94));
        await using CoapObservation observation = await Within(registering);
        Clock.Advance(FromSeconds(6));
        byte[] bytes = Transport.TakeAll().First(static item => item.Remote == s_server).Bytes;
        Answer(Read(Wire.Hex(bytes)), 1, "the other one");
        Assert.Equal(CoapObserveState.Observing, observation.State);
    }
}
