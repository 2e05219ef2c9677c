using System.Net;
using CoAP.NET.Errors;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A timeout exception names the step and the limit that ended it.</summary>
public sealed class TimeoutTests : ClientTest
{
    private static readonly TimeSpan s_six = FromSeconds(6);

    [Fact]
    public async Task A_timeout_during_the_lookup_says_that_the_host_name_was_not_resolved()
    {
        Options.Transports.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapResponse> request = Client.SendAsync(Get("coap://slow.example/x"));

        CoapTimeoutException error = await AfterAsync(s_six, request);

        Assert.Equal((CoapTimeoutStep.NameResolution, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        error.Message.Begins(
            "GET to coap://slow.example was not sent: an address of its host name was not found within the Timeout of 6 s.");
    }

    [Fact]
    public async Task A_timeout_before_the_last_retransmission_names_the_Timeout_of_the_request()
    {
        Task<CoapResponse> request = Client.SendAsync(Get("coap://192.0.2.1/x"));

        CoapTimeoutException error = await AfterAsync(s_six, request);

        Assert.Equal((CoapTimeoutStep.Acknowledgement, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        error.Mentions("no acknowledgement arrived within the Timeout of 6 s, for 2 copies of the message");
        error.Message.Omits("all retransmissions");
    }

    [Fact]
    public async Task A_timeout_without_a_Timeout_names_all_retransmissions()
    {
        Task<CoapResponse> request = Client.PostAsync("coap://192.0.2.1/x", null);

        CoapTimeoutException error = await AfterAsync(FromSeconds(94), request);

        Assert.Equal(
            (CoapTimeoutStep.Acknowledgement, CoapTimeLimitKind.Retransmissions, FromSeconds(93), CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        error.Mentions("within the time of all retransmissions (at most 93 s), for 5 copies of the message");
        error.Message.Ends("Whether it took effect is unknown.");
    }

    [Fact]
    public async Task A_timeout_of_a_request_that_waits_for_its_turn_names_NStart()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/1");
        Task<CoapResponse> second = Client.SendAsync(Get("coap://192.0.2.1/2"));

        CoapTimeoutException error = await AfterAsync(s_six, second);

        Assert.Equal((CoapTimeoutStep.Turn, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        error.Mentions("NStart");
        Assert.False(first.IsCompleted);
    }

    [Fact]
    public async Task A_timeout_of_a_request_delayed_by_PROBING_RATE_says_that_the_peer_was_silent()
    {
        await AfterAsync(s_six, Client.SendAsync(Get("coap://192.0.2.1/1")));

        CoapTimeoutException error = await AfterAsync(s_six, Client.SendAsync(Get("coap://192.0.2.1/2")));

        Assert.Equal((CoapTimeoutStep.Turn, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        error.Mentions("the peer answered none of the earlier messages");
        error.Message.Omits("NStart");
    }

    [Fact]
    public async Task A_timeout_after_the_acknowledgement_says_that_the_request_arrived()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Transport.Receive(s_server, $"6000{TakeOne().MessageId}");

        CoapTimeoutException error = await AfterAsync(FromMinutes(6), request);

        Assert.Equal(
            (CoapTimeoutStep.Response, CoapTimeLimitKind.ResponseTimeout, FromSeconds(293), CoapTimeoutReason.NoResponse), FactsOf(error));
        error.Mentions("was acknowledged, but no response followed within 293 s (ResponseTimeout)");
    }

    [Fact]
    public async Task A_timeout_of_a_Non_confirmable_request_says_that_nothing_shows_its_arrival()
    {
        Task<CoapResponse> request = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/x") { Confirmable = false });

        CoapTimeoutException error = await AfterAsync(FromSeconds(146), request);

        Assert.Equal(
            (CoapTimeoutStep.Response, CoapTimeLimitKind.ResponseTimeout, FromSeconds(145), CoapTimeoutReason.NoResponse), FactsOf(error));
        error.Message.Omits("delivered");
        error.Mentions("nothing shows whether it arrived");
    }

    [Fact]
    public async Task A_timeout_during_a_transfer_names_the_next_block_and_the_Timeout_of_the_whole_request()
    {
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/x") { Content = CoapContent.Binary(new byte[3000]), Timeout = s_six });
        Sent first = TakeOne();
        Clock.Advance(FromSeconds(1));

        // 2.31 with Block1 0/more/1024.
        TaskCompletionSource next = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => next.TrySetResult();
        Transport.Receive(s_server, $"645f{first.MessageId}{first.Token}d10e0e");
        await Within(next.Task);
        CoapTimeoutException error = await AfterAsync(FromSeconds(5.1), request);

        Assert.Equal((CoapTimeoutStep.NextBlock, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        Assert.True(error.IsOutcomeUnknown);
    }

    [Fact]
    public async Task A_timeout_of_an_unacknowledged_block_names_the_retransmissions()
    {
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/x")
            {
                Content = CoapContent.Binary(new byte[3000]),
                Timeout = FromMinutes(10),
            });
        Sent first = TakeOne();

        // 2.31 with Block1 0/more/1024.
        TaskCompletionSource next = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => next.TrySetResult();
        Transport.Receive(s_server, $"645f{first.MessageId}{first.Token}d10e0e");
        await Within(next.Task);
        CoapTimeoutException error = await AfterAsync(FromMinutes(5), request);

        Assert.Equal((CoapTimeoutStep.NextBlock, CoapTimeLimitKind.Retransmissions), (error.Awaited, error.EndedBy));
        Assert.True(error.Limit < FromMinutes(5), $"{error.Limit}");
    }

    [Fact]
    public async Task A_timeout_of_a_ping_names_the_ping()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");

        CoapTimeoutException error = await AfterAsync(FromSeconds(94), ping);

        Assert.Equal(
            (CoapTimeoutStep.Acknowledgement, CoapTimeLimitKind.Retransmissions, FromSeconds(93), CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        error.Message.Begins("Ping to coap://192.0.2.1:5683 was not answered");
        Assert.False(error.IsOutcomeUnknown);
    }

    [Fact]
    public async Task The_Timeout_of_a_ping_ends_the_ping_and_its_retransmissions()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapTimeoutStep.Acknowledgement, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        error.Message.Begins(
            "Ping to coap://192.0.2.1:5683 was not answered: no acknowledgement arrived within the Timeout of 6 s, for 2 copies");
        Transport.TakeSent();
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_ping_without_a_Timeout_uses_the_Timeout_of_the_client()
    {
        Client.Timeout = s_six;
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");
        Task<TimeSpan> longer = Client.PingAsync("coap://192.0.2.9", FromSeconds(20));

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapTimeLimitKind.RequestTimeout, s_six), (error.EndedBy, error.Limit));
        Assert.False(longer.IsCompleted);
        error = await AfterAsync(FromSeconds(14), longer);
        Assert.Equal((CoapTimeLimitKind.RequestTimeout, FromSeconds(20)), (error.EndedBy, error.Limit));
    }

    [Fact]
    public async Task The_Timeout_of_a_ping_includes_the_lookup_of_its_host()
    {
        Options.Transports.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<TimeSpan> ping = Client.PingAsync("coap://slow.example", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapTimeoutStep.NameResolution, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        error.Message.Begins("Ping to coap://slow.example was not sent");
    }

    [Fact]
    public async Task A_timeout_of_a_ping_that_waits_for_its_turn_reports_NotSent()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/1");
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapTimeoutStep.Turn, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.False(first.IsCompleted);
    }

    [Fact]
    public async Task An_infinite_Timeout_ends_a_ping_with_its_last_retransmission_and_zero_is_refused()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", Timeout.InfiniteTimeSpan);

        CoapTimeoutException error = await AfterAsync(FromSeconds(94), ping);

        Assert.Equal(CoapTimeLimitKind.Retransmissions, error.EndedBy);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Within(Client.PingAsync("coap://192.0.2.1", TimeSpan.Zero)));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Within(Client.Endpoint.PingAsync("coap://192.0.2.1", -s_six)));
    }

    [Fact]
    public async Task The_Timeout_of_an_observation_includes_the_lookup_of_its_server()
    {
        Options.Transports.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapObservation> observing = Client.ObserveAsync(Get("coap://slow.example/x"));
        Clock.Advance(s_six);
        await using CoapObservation observation = await Within(observing);

        CoapTimeoutException error = Assert.IsType<CoapTimeoutException>(observation.Error);
        Assert.Equal((CoapTimeoutStep.NameResolution, CoapTimeLimitKind.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
    }

    [Fact]
    public async Task The_lookup_for_an_observation_without_a_Timeout_ends_after_two_minutes()
    {
        Options.Transports.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapObservation> observing = Client.ObserveAsync("coap://slow.example/x");
        Clock.Advance(FromMinutes(2));
        await using CoapObservation observation = await Within(observing);

        CoapTimeoutException error = Assert.IsType<CoapTimeoutException>(observation.Error);
        Assert.Equal(
            (CoapTimeoutStep.NameResolution, CoapTimeLimitKind.ObservationSearch, FromMinutes(2), CoapTimeoutReason.NotSent),
            FactsOf(error));
    }

    [Fact]
    public void A_Timeout_of_zero_is_refused()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/x");
        Assert.Throws<ArgumentOutOfRangeException>(() => request.Timeout = TimeSpan.Zero);
    }

    [Fact]
    public async Task Cancelling_the_token_of_the_caller_is_a_cancellation_and_not_a_timeout()
    {
        using CancellationTokenSource source = new();
        Task<CoapResponse> request = Client.SendAsync(Get("coap://192.0.2.1/x"), source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
    }

    private static CoapRequest Get(string uri) => new(CoapMethod.Get, uri) { Timeout = s_six };

    private static (CoapTimeoutStep, CoapTimeLimitKind, TimeSpan, CoapTimeoutReason) FactsOf(CoapTimeoutException error) =>
        (error.Awaited, error.EndedBy, error.Limit, error.Reason);

    private async Task<CoapTimeoutException> AfterAsync(TimeSpan time, Task request)
    {
        Clock.Advance(time + FromSeconds(0.2));
        return await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
    }
}
