using System.Net;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A time-out says what was waited for, and which time ended it.</summary>
public sealed class TimeoutTests : ClientTest
{
    private static readonly TimeSpan s_six = TimeSpan.FromSeconds(6);

    [Fact]
    public async Task A_host_name_that_is_not_resolved_in_time_is_what_was_waited_for()
    {
        Options.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapResponse> request = Client.SendAsync(Get("coap://slow.example/x"));

        CoapTimeoutException error = await AfterAsync(s_six, request);

        Assert.Equal((CoapAwaited.NameResolution, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.StartsWith(
            "GET to coap://slow.example was not sent: an address of its host name was not found within the Timeout of 6 s.",
            error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task The_Timeout_that_ends_retransmission_early_is_named_and_not_the_retransmissions()
    {
        Task<CoapResponse> request = Client.SendAsync(Get("coap://192.0.2.1/x"));

        CoapTimeoutException error = await AfterAsync(s_six, request);

        Assert.Equal((CoapAwaited.Acknowledgement, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged), FactsOf(error));
        Assert.Contains(
            "no acknowledgement arrived within the Timeout of 6 s, for 2 copies of the message", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("all retransmissions", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task All_retransmissions_are_named_where_no_Timeout_was_given()
    {
        Task<CoapResponse> request = Client.PostAsync("coap://192.0.2.1/x", null);

        CoapTimeoutException error = await AfterAsync(TimeSpan.FromSeconds(94), request);

        Assert.Equal(
            (CoapAwaited.Acknowledgement, CoapTimeLimit.Retransmissions, TimeSpan.FromSeconds(93), CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        Assert.Contains("within the 93 s of all retransmissions, for 5 copies of the message", error.Message, StringComparison.Ordinal);
        Assert.EndsWith("Whether it took effect is unknown.", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_request_that_waits_for_its_turn_says_so()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/1");
        Task<CoapResponse> second = Client.SendAsync(Get("coap://192.0.2.1/2"));

        CoapTimeoutException error = await AfterAsync(s_six, second);

        Assert.Equal((CoapAwaited.Turn, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.Contains("NStart", error.Message, StringComparison.Ordinal);
        Assert.False(first.IsCompleted);
    }

    [Fact]
    public async Task A_request_that_waits_because_its_server_was_silent_says_so()
    {
        await AfterAsync(s_six, Client.SendAsync(Get("coap://192.0.2.1/1")));

        CoapTimeoutException error = await AfterAsync(s_six, Client.SendAsync(Get("coap://192.0.2.1/2")));

        Assert.Equal((CoapAwaited.Turn, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.Contains("the peer answered none of the earlier messages", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("NStart", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_acknowledgement_shows_that_the_request_arrived()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Transport.Receive(s_server, $"6000{TakeOne().MessageId}");

        CoapTimeoutException error = await AfterAsync(TimeSpan.FromMinutes(6), request);

        Assert.Equal(
            (CoapAwaited.Response, CoapTimeLimit.ResponseTimeout, TimeSpan.FromSeconds(293), CoapTimeoutReason.NoResponse), FactsOf(error));
        Assert.Contains(
            "was acknowledged, but no response followed within 293 s (ResponseTimeout)", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nothing_shows_that_a_Non_confirmable_request_arrived()
    {
        Task<CoapResponse> request = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/x") { Confirmable = false });

        CoapTimeoutException error = await AfterAsync(TimeSpan.FromSeconds(146), request);

        Assert.Equal(
            (CoapAwaited.Response, CoapTimeLimit.ResponseTimeout, TimeSpan.FromSeconds(145), CoapTimeoutReason.NoResponse), FactsOf(error));
        Assert.DoesNotContain("delivered", error.Message, StringComparison.Ordinal);
        Assert.Contains("nothing shows whether it arrived", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_transfer_that_stops_in_its_middle_says_so_with_the_time_of_the_whole_request()
    {
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/x") { Content = CoapContent.Binary(new byte[3000]), Timeout = s_six });
        Sent first = TakeOne();
        Clock.Advance(TimeSpan.FromSeconds(1));

        // 2.31 with Block1 0/more/1024.
        TaskCompletionSource next = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => next.TrySetResult();
        Transport.Receive(s_server, $"645f{first.MessageId}{first.Token}d10e0e");
        await Within(next.Task);
        CoapTimeoutException error = await AfterAsync(TimeSpan.FromSeconds(5.1), request);

        Assert.Equal((CoapAwaited.NextBlock, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged), FactsOf(error));
        Assert.True(error.IsOutcomeUnknown);
    }

    [Fact]
    public async Task A_transfer_whose_block_is_not_acknowledged_says_so_with_the_time_of_the_copies()
    {
        Task<CoapResponse> request = Client.SendAsync(
            new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/x")
            {
                Content = CoapContent.Binary(new byte[3000]),
                Timeout = TimeSpan.FromMinutes(10),
            });
        Sent first = TakeOne();

        // 2.31 with Block1 0/more/1024.
        TaskCompletionSource next = new(TaskCreationOptions.RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => next.TrySetResult();
        Transport.Receive(s_server, $"645f{first.MessageId}{first.Token}d10e0e");
        await Within(next.Task);
        CoapTimeoutException error = await AfterAsync(TimeSpan.FromMinutes(5), request);

        Assert.Equal((CoapAwaited.NextBlock, CoapTimeLimit.Retransmissions), (error.Awaited, error.EndedBy));
        Assert.True(error.Limit < TimeSpan.FromMinutes(5), $"{error.Limit}");
    }

    [Fact]
    public async Task A_ping_says_that_it_was_one()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");

        CoapTimeoutException error = await AfterAsync(TimeSpan.FromSeconds(94), ping);

        Assert.Equal(
            (CoapAwaited.Acknowledgement, CoapTimeLimit.Retransmissions, TimeSpan.FromSeconds(93), CoapTimeoutReason.NotAcknowledged),
            FactsOf(error));
        Assert.StartsWith("Ping to coap://192.0.2.1:5683 was not answered", error.Message, StringComparison.Ordinal);
        Assert.False(error.IsOutcomeUnknown);
    }

    [Fact]
    public async Task The_time_that_a_ping_was_given_ends_it_and_its_copies()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapAwaited.Acknowledgement, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotAcknowledged), FactsOf(error));
        Assert.StartsWith(
            "Ping to coap://192.0.2.1:5683 was not answered: no acknowledgement arrived within the Timeout of 6 s, for 2 copies",
            error.Message, StringComparison.Ordinal);
        Transport.TakeSent();
        Clock.Advance(TimeSpan.FromMinutes(5));
        Assert.Empty(Transport.TakeSent());
    }

    [Fact]
    public async Task A_ping_without_a_time_of_its_own_has_that_of_the_client()
    {
        Client.Timeout = s_six;
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1");
        Task<TimeSpan> longer = Client.PingAsync("coap://192.0.2.9", TimeSpan.FromSeconds(20));

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapTimeLimit.RequestTimeout, s_six), (error.EndedBy, error.Limit));
        Assert.False(longer.IsCompleted);
        error = await AfterAsync(TimeSpan.FromSeconds(14), longer);
        Assert.Equal((CoapTimeLimit.RequestTimeout, TimeSpan.FromSeconds(20)), (error.EndedBy, error.Limit));
    }

    [Fact]
    public async Task The_time_of_a_ping_holds_for_finding_its_host_as_well()
    {
        Options.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<TimeSpan> ping = Client.PingAsync("coap://slow.example", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapAwaited.NameResolution, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.StartsWith("Ping to coap://slow.example was not sent", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_ping_that_waits_for_its_turn_says_so()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/1");
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", s_six);

        CoapTimeoutException error = await AfterAsync(s_six, ping);

        Assert.Equal((CoapAwaited.Turn, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
        Assert.False(first.IsCompleted);
    }

    [Fact]
    public async Task A_ping_without_a_limit_ends_with_its_copies_and_one_of_no_time_is_a_programming_error()
    {
        Task<TimeSpan> ping = Client.PingAsync("coap://192.0.2.1", Timeout.InfiniteTimeSpan);

        CoapTimeoutException error = await AfterAsync(TimeSpan.FromSeconds(94), ping);

        Assert.Equal(CoapTimeLimit.Retransmissions, error.EndedBy);
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Within(Client.PingAsync("coap://192.0.2.1", TimeSpan.Zero)));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(() => Within(Client.Endpoint.PingAsync("coap://192.0.2.1", -s_six)));
    }

    [Fact]
    public async Task The_time_of_an_observation_holds_for_finding_its_server_as_well()
    {
        Options.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapObservation> observing = Client.ObserveAsync(Get("coap://slow.example/x"));
        Clock.Advance(s_six);
        await using CoapObservation observation = await Within(observing);

        CoapTimeoutException error = Assert.IsType<CoapTimeoutException>(observation.Error);
        Assert.Equal((CoapAwaited.NameResolution, CoapTimeLimit.RequestTimeout, s_six, CoapTimeoutReason.NotSent), FactsOf(error));
    }

    [Fact]
    public async Task An_observation_without_a_time_of_its_own_searches_for_two_minutes_at_a_time()
    {
        Options.ResolveHost = static (_, _) => new TaskCompletionSource<IPAddress[]>().Task;
        Task<CoapObservation> observing = Client.ObserveAsync("coap://slow.example/x");
        Clock.Advance(TimeSpan.FromMinutes(2));
        await using CoapObservation observation = await Within(observing);

        CoapTimeoutException error = Assert.IsType<CoapTimeoutException>(observation.Error);
        Assert.Equal(
            (CoapAwaited.NameResolution, CoapTimeLimit.ObservationSearch, TimeSpan.FromMinutes(2), CoapTimeoutReason.NotSent),
            FactsOf(error));
    }

    [Fact]
    public void A_Timeout_of_nothing_is_a_programming_error()
    {
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/x");
        Assert.Throws<ArgumentOutOfRangeException>(() => request.Timeout = TimeSpan.Zero);
    }

    [Fact]
    public async Task The_token_of_the_caller_cancels_and_is_no_time_out()
    {
        using CancellationTokenSource source = new();
        Task<CoapResponse> request = Client.SendAsync(Get("coap://192.0.2.1/x"), source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
    }

    private static CoapRequest Get(string uri) => new(CoapMethod.Get, uri) { Timeout = s_six };

    private static (CoapAwaited, CoapTimeLimit, TimeSpan, CoapTimeoutReason) FactsOf(CoapTimeoutException error) =>
        (error.Awaited, error.EndedBy, error.Limit, error.Reason);

    private async Task<CoapTimeoutException> AfterAsync(TimeSpan time, Task request)
    {
        Clock.Advance(time + TimeSpan.FromSeconds(0.2));
        return await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
    }
}
