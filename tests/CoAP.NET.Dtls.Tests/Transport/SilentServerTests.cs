using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>
/// Servers that say nothing. The time of the client goes on only when nothing happens any more, so that no busy machine passes for one of
/// them.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SilentServerTests
{
    private static readonly string[] s_names = ["one.example", "two.example", "three.example"];
    private static readonly TimeSpan s_silence = FromSeconds(3);

    private readonly VirtualClock _clock = new();

    [Theory]
    [InlineData("device-1")]
    [InlineData("nobody")]
    [Rfc("7925-6-1")]
    public async Task A_wrong_key_and_an_unknown_identity_are_refused_alike_for_the_client(string identity)
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client(identity, [9, 9, 9, 9], dtls => dtls.HandshakeTimeout = FromSeconds(1),
            options => options.TimeProvider = _clock);

        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => RunAsync(client.GetAsync($"{secure.Host}/hello")));

        Assert.Contains("key", exception.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(0, secure.Server.Counters[CoapCounter.RequestsReceived]);
    }

    [Fact]
    [Rfc("7252-9-2", "7252-9.1.1-3")]
    public async Task A_request_to_a_server_that_lost_the_session_is_repeated_in_a_new_session()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client(silence: s_silence, endpoint: options => options.TimeProvider = _clock);
        await RunAsync(client.GetAsync($"{secure.Host}/hello"));
        secure.LoseSessions();

        CoapResponse response = await RunAsync(client.GetAsync($"{secure.Host}/who"));

        Assert.Equal(SecureEndpoints.Identity, response.GetText());
        Assert.Equal(2, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    public async Task A_client_opens_new_sessions_for_each_server_name_after_the_server_lost_its_sessions()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client(silence: s_silence, configure: dtls => dtls.UseConnectionIds = true, endpoint: options =>
        {
            options.TimeProvider = _clock;
            options.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
        });
        foreach (string name in s_names)
        {
            await RunAsync(client.GetAsync($"coaps://{name}:{secure.Endpoint.Port}/hello"));
        }

        secure.LoseSessions();
        CoapResponse[] responses =
            await RunAsync(Task.WhenAll(s_names.Select(name => client.GetAsync($"coaps://{name}:{secure.Endpoint.Port}/who"))));

        Assert.All(responses, response => Assert.Equal(SecureEndpoints.Identity, response.GetText()));
        Assert.Equal(2 * s_names.Length, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(s_names.Length, client.Endpoint.ConnectedPeers.Count);
    }

    [Theory]
    [InlineData(true, 45, 93)]
    [InlineData(false, 9, 30)]
    public async Task A_session_is_replaced_after_all_retransmissions_with_a_Connection_ID_and_after_two_without(
        bool hasCids, int least, int most)
    {
        await using SecureEndpoints secure = await new SecureEndpoints(useCids: hasCids).StartAsync();
        CoapClient client = secure.Client(endpoint: options => options.TimeProvider = _clock);
        await RunAsync(client.GetAsync($"{secure.Host}/hello"));
        secure.LoseSessions();
        long begin = _clock.GetTimestamp();

        await RunAsync(client.GetAsync($"{secure.Host}/who"));

        // Copies leave after 2 to 3 s, 6 to 9 s, 14 to 21 s, and 30 to 45 s (RFC 7252 section 4.8); after 62 to 93 s a message is given up.
        Assert.InRange(_clock.GetElapsedTime(begin), FromSeconds(least), FromSeconds(most));
        Assert.Equal(2, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    [Fact]
    public async Task A_session_is_replaced_when_requests_are_unanswered_although_notifications_arrive()
    {
        await using SecureEndpoints secure = new();
        int state = 0;
        secure.Server.MapGet("/state", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable();
        await secure.StartAsync();
        await using DeafPath path = new(secure.Endpoint);
        CoapClient client = secure.Client(silence: s_silence, endpoint: options => options.TimeProvider = _clock);
        CoapObservation observation = await RunAsync(client.ObserveAsync($"{path.Host}/state"));
        int seen = -1;
        Task reading = ReadAsync();
        path.IsDeaf = true;

        Task<CoapResponse> asked = client.GetAsync($"{path.Host}/who");
        while (state < 100 && path.IsDeaf)
        {
            TimeSpan now = _clock.Elapsed;
            Volatile.Write(ref state, state + 1);
            secure.Server.Notify("/state");
            await Eventually.IsTrueAsync(() => Volatile.Read(ref seen) == state || !path.IsDeaf);
            await _clock.AdvanceUntilAsync(() => _clock.Elapsed > now + FromSeconds(1), FromMinutes(1));
        }

        Assert.Equal(SecureEndpoints.Identity, (await RunAsync(asked)).GetText());
        Assert.InRange(state, 2, 60);
        Assert.Equal(2, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        await RunAsync(observation.DisposeAsync().AsTask().ContinueWith(_ => true));
        await reading;

        async Task ReadAsync()
        {
            await foreach (CoapResponse told in observation.ReadAllAsync())
            {
                Volatile.Write(ref seen, int.Parse(told.GetText(), CultureInfo.InvariantCulture));
            }
        }
    }

    [Fact]
    public async Task A_client_session_ends_after_its_idle_timeout_and_not_before()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client(configure: dtls => dtls.Client!.SessionIdleTimeout = FromMinutes(20),
            endpoint: options => options.TimeProvider = _clock);
        await RunAsync(client.GetAsync($"{secure.Host}/hello"));
        _clock.Advance(FromMinutes(15));
        await RunAsync(client.GetAsync($"{secure.Host}/hello"));
        long begin = _clock.GetTimestamp();

        await _clock.AdvanceUntilAsync(() => client.Endpoint.ConnectedPeers.Count == 0, FromHours(1));

        Assert.InRange(_clock.GetElapsedTime(begin), FromMinutes(19.9), FromMinutes(20.1));
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
    }

    private Task<T> RunAsync<T>(Task<T> task) => _clock.AdvanceUntilAsync(task, FromMinutes(10));
}
