using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

// One connection for each target, and what happens while there is none.
public class PoolTests : ClientConnectionTest
{
    [Fact]
    public async Task Consecutive_requests_share_a_connection()
    {
        AnswerAll();
        await StartClientAsync();
        for (int i = 0; i < 3; i++)
        {
            await Within(Endpoint.GetAsync(Target));
        }

        Assert.Single(Streams.OpenedByUs);
        Assert.Equal(1, Counters[CoapCounter.ConnectionsOpened]);
    }

    [Fact]
    public async Task Concurrent_requests_wait_for_one_attempt()
    {
        TaskCompletionSource gate = new();
        AnswerAll();
        await StartClientAsync();
        int attempts = 0;
        Streams.Connecting = (_, _, _) =>
        {
            attempts++;
            return gate.Task;
        };

        Task<CoapResponse>[] sent = [.. Enumerable.Range(0, 5).Select(_ => Endpoint.GetAsync(Target))];
        gate.SetResult();

        await Within(Task.WhenAll(sent));
        Assert.Equal(1, attempts);
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task Different_ports_have_connections_of_their_own()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        await Within(Endpoint.GetAsync("coap+tcp://192.0.2.1:6000/x"));
        Assert.Equal([5683, 6000], Streams.OpenedByUs.Select(connection => (int)connection.Remote.Port));
    }

    [Fact]
    public async Task Host_names_of_the_same_address_share_a_connection_without_TLS()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync("coap+tcp://one.example/x"));
        await Within(Endpoint.GetAsync("coap+tcp://other.example/x"));
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task Names_of_one_address_have_connections_of_their_own_with_TLS()
    {
        DirectStreamTransport secure = new("coaps+tcp");
        AnswerAll();
        await StartClientAsync(secure);
        await Within(Endpoint.GetAsync("coaps+tcp://one.example/x"));
        await Within(Endpoint.GetAsync("coaps+tcp://other.example/x"));
        Assert.Equal(["one.example", "other.example"], secure.OpenedByUs.Select(connection => connection.ServerName));
    }

    [Fact]
    public async Task Cancelling_a_request_leaves_the_connection_attempt_to_other_requests()
    {
        TaskCompletionSource gate = new();
        AnswerAll();
        await StartClientAsync();
        CancellationToken given = default;
        Streams.Connecting = (_, _, token) =>
        {
            given = token;
            return gate.Task;
        };
        using CancellationTokenSource impatient = new();
        Task<CoapResponse> first = Endpoint.GetAsync(Target, impatient.Token);
        Task<CoapResponse> second = Endpoint.GetAsync(Target);

        await impatient.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(first));
        Assert.False(given.IsCancellationRequested);
        gate.SetResult();
        await Within(second).Says("1");
    }

    [Fact]
    public async Task Cancelling_the_last_waiting_request_cancels_the_attempt_and_the_next_request_starts_another()
    {
        AnswerAll();
        await StartClientAsync();
        CancellationToken given = default;
        Streams.Connecting = (_, _, token) =>
        {
            given = token;
            return new TaskCompletionSource().Task.WaitAsync(token);
        };
        using CancellationTokenSource impatient = new();
        Task<CoapResponse> first = Endpoint.GetAsync(Target, impatient.Token);
        Task<CoapResponse> second = Endpoint.GetAsync(Target, impatient.Token);
        await impatient.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(first));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(second));
        await UntilAsync(() => given.IsCancellationRequested);

        Streams.Connecting = null;
        await Within(Endpoint.GetAsync(Target)).Says("1");
        Assert.Equal(0, Failures);
    }

    [Fact]
    public async Task A_connection_opened_after_its_request_was_cancelled_is_closed()
    {
        TaskCompletionSource gate = new();
        await StartClientAsync();
        Streams.Connecting = (_, _, _) => gate.Task;
        using CancellationTokenSource impatient = new();
        Task<CoapResponse> sent = Endpoint.GetAsync(Target, impatient.Token);
        await impatient.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(sent));

        gate.SetResult();

        await UntilAsync(() => Streams.OpenedByUs is [{ IsClosed: true }] && Endpoint.Connections.Count == 0);
    }

    [Fact]
    public async Task All_addresses_of_a_name_are_tried()
    {
        AnswerAll();
        Failing = static remote => remote == s_first ? Refused(remote) : null;
        await StartClientAsync();

        CoapResponse response = await Within(Endpoint.GetAsync("coap+tcp://two.example/x"));

        Assert.Equal(s_second, response.Remote);
        Assert.Equal(2, Attempts);

        // And stays there.
        await Within(Endpoint.GetAsync("coap+tcp://two.example/x"));
        Assert.Equal(2, Attempts);
    }

    [Fact]
    public async Task When_no_address_can_be_connected_to_the_error_says_so()
    {
        Failing = Refused;
        await StartClientAsync();

        CoapConnectionException error =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync("coap+tcp://two.example/x")));

        Assert.Equal(CoapError.ConnectFailed, error.Error);
        error.Mentions("None of the 2 addresses");
        error.Mentions("192.0.2.2:5683");
        Assert.False(error.IsOutcomeUnknown);
        Assert.Equal(2, Failures);
    }

    [Fact]
    public async Task A_failed_attempt_fails_all_waiting_requests_and_the_next_request_waits_for_the_next_attempt()
    {
        TaskCompletionSource gate = new();
        AnswerAll();
        await StartClientAsync();
        Streams.Connecting = (_, _, _) => gate.Task;
        Task<CoapResponse> first = Endpoint.GetAsync(Target);
        Task<CoapResponse> second = Endpoint.GetAsync(Target);
        gate.SetException(Refused(s_first));
        Assert.Equal(CoapError.ConnectFailed, (await Assert.ThrowsAsync<CoapConnectionException>(() => Within(first))).Error);
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(second));
        Assert.Equal(1, Failures);

        int attempts = 0;
        Streams.Connecting = (_, _, _) =>
        {
            attempts++;
            return Task.CompletedTask;
        };
        Task<CoapResponse> third = Endpoint.GetAsync(Target);
        Clock.Advance(FromMilliseconds(249));
        Assert.Equal(0, attempts);
        Clock.Advance(FromMilliseconds(252));
        await Within(third).Says("1");
        Assert.Equal(1, attempts);
    }

    [Fact]
    public async Task Waits_double_up_to_the_bound()
    {
        Options.Transports.Streams.ReconnectDelay = FromSeconds(1);
        Options.Transports.Streams.MaxReconnectDelay = FromSeconds(4);
        Failing = Refused;
        await StartClientAsync();
        List<TimeSpan> at = [];
        for (int i = 0; i < 6; i++)
        {
            Task<CoapResponse> sent = Endpoint.GetAsync(Target);
            int next = i + 1;
            await PassUntilAsync(() => Attempts == next);
            at.Add(Clock.Elapsed);
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(sent));
        }

        double[] waits = [.. at.Zip(at.Skip(1), (one, next) => (next - one).TotalSeconds)];
        double[] whole = [1, 2, 4, 4, 4];
        Assert.All(waits.Zip(whole), pair => Assert.InRange(pair.First, pair.Second / 2, pair.Second + 0.2));
        Assert.Equal(6, Attempts);
    }

    [Fact]
    public async Task The_timeout_of_a_request_ends_its_wait_for_the_next_attempt()
    {
        Options.Transports.Streams.ReconnectDelay = FromSeconds(30);
        Failing = Refused;
        await StartClientAsync();
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));

        Task<CoapResponse> sent = Endpoint.SendAsync(new CoapRequest(CoapMethod.Post, Target) { Timeout = FromSeconds(2) });
        Clock.Advance(FromSeconds(2));

        CoapTimeoutException error = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(sent));
        Assert.Equal(CoapTimeoutReason.NotSent, error.Reason);
        Assert.False(error.IsOutcomeUnknown);
        Assert.Equal(1, Attempts);
    }

    [Fact]
    public async Task Another_address_of_the_host_is_used_while_the_failed_address_waits()
    {
        AnswerAll();
        Failing = static remote => remote == s_first ? Refused(remote) : null;
        await StartClientAsync();
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));
        Assert.Equal(1, Attempts);

        CoapResponse response = await Within(Endpoint.GetAsync("coap+tcp://two.example/x"));

        Assert.Equal(s_second, response.Remote);
        Assert.Equal(2, Attempts);
    }

    [Fact]
    public async Task The_pool_remembers_at_most_1024_targets_that_failed()
    {
        Failing = Refused;
        await StartClientAsync();
        for (int i = 0; i < 1200; i++)
        {
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync($"coap+tcp://192.0.2.1:{10_000 + i}/x")));
        }

        Assert.Equal(1024, Pool.Count);
    }

    [Fact]
    public async Task A_closed_connection_is_removed_from_the_pool()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Assert.Equal(1, Pool.Count);

        Streams.OpenedByUs[0].Break();

        await UntilAsync(() => Pool.Count == 0 && Endpoint.Connections.Count == 0);
    }

    [Fact]
    public async Task A_connection_lost_right_after_opening_is_not_reopened_at_once()
    {
        await StartClientAsync();
        Streams.Connected = static connection => connection.OnSent = _ => connection.Break(new IOException("reset"));
        CoapRequest request = new(CoapMethod.Post, Target);
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.SendAsync(request)));
        Assert.Equal(1, Attempts);

        Task<CoapResponse> next = Endpoint.SendAsync(request);

        Assert.Equal(1, Attempts);
        await PassUntilAsync(() => Attempts == 2);
        Assert.True(Clock.Elapsed >= FromMilliseconds(250));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(next));
    }

    [Fact]
    public async Task Stopping_the_endpoint_fails_requests_that_wait_for_a_connection()
    {
        await StartClientAsync();
        Streams.Connecting = static (_, _, token) => new TaskCompletionSource().Task.WaitAsync(token);
        Task<CoapResponse> sent = Endpoint.GetAsync(Target);

        await Within(Server.StopAsync());

        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(sent));
        error.Mentions("stopped");
    }
}
