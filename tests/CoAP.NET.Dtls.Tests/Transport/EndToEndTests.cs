using CoAP.NET.Diagnostics;

namespace CoAP.NET.Dtls.Tests.Transport;

public sealed class EndToEndTests
{
    [Fact]
    public async Task A_client_of_a_disposed_server_gets_5_03_before_the_session_ends()
    {
        await using SecureEndpoints secure = new();
        secure.Server.MapGet("/never", (CoapRequestContext _, CancellationToken _) => new TaskCompletionSource<CoapResult>().Task);
        await secure.StartAsync();
        Task<CoapResponse> request = secure.Client().GetAsync($"{secure.Host}/never");
        await Eventually.IsTrueAsync(() => secure.Server.Endpoint.Pipelines.Any(pipeline => pipeline.Resource.Unanswered == 1));

        await secure.Server.DisposeAsync();

        await request.WaitAsync(FromMinutes(2)).Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public async Task Concurrent_requests_share_a_session()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client();

        CoapResponse[] responses = await Task.WhenAll(Enumerable.Range(0, 50).Select(_ => client.GetAsync($"{secure.Host}/hello")));

        Assert.All(responses, response => Assert.Equal("hello", response.GetText()));
        Assert.Equal(1, secure.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Fact]
    [Rfc("7641-3.3.1-2")]
    public async Task An_observation_in_a_session_becomes_stale_after_Max_Age_without_a_notification()
    {
        await using SecureEndpoints secure = new();
        secure.Server.MapGet("/state", () => CoapResults.Text("on")).Observable(observe => observe.MaxAge = FromSeconds(1));
        await secure.StartAsync();
        await using CoapObservation observation = await secure.Client().ObserveAsync($"{secure.Host}/state");
        TaskCompletionSource stale = new(RunContinuationsAsynchronously);
        observation.StateChanged += (_, state) =>
        {
            if (state == CoapObserveState.Stale)
            {
                stale.TrySetResult();
            }
        };

        await stale.Task.WaitAsync(FromMinutes(2));
    }

    [Fact]
    public async Task Cookies_and_retransmitted_records_are_counted()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");
        Assert.True(secure.Server.Counters[CoapCounter.CookiesSent] >= 1);
        DtlsServer server = secure.Transport.Engine!.Server!;
        DtlsPath path = ((DtlsChannelSession)secure.Server.Endpoint.ConnectedPeers[0].Connection!).Session.Path;
        byte[] forged = [(byte)ContentType.Tls12Cid, 0xfe, 0xfd, 0, 1, 0, 0, 0, 0, 0, 99,
            .. ((DtlsChannelSession)secure.Server.Endpoint.ConnectedPeers[0].Connection!).Session.OwnCid, 0, 30, .. new byte[30]];
        Assert.False(server.Receive(path, forged));
        Assert.Equal(1, secure.Server.Counters[CoapCounter.RecordsForged]);
    }

    [Fact]
    [Rfc("7252-9.1.1-1")]
    public async Task An_unprotected_request_to_a_DTLS_port_gets_no_response_and_does_not_affect_a_session()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");
        using Socket stranger = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        stranger.Connect(secure.Endpoint);

        stranger.Send([0x40, 1, 0, 1, 0xb5, .. "hello"u8]);
        await Eventually.IsTrueAsync(() => secure.Server.Counters[CoapCounter.RecordsRejected] == 1);

        await client.GetAsync($"{secure.Host}/hello").Says("hello");
        Assert.Equal(0, stranger.Available);
        Assert.Equal(2, secure.Server.Counters[CoapCounter.RequestsReceived]);
    }

    [Fact]
    [Rfc("7252-9-1", "7252-6.2-1")]
    public async Task A_path_of_coaps_is_not_served_over_coap()
    {
        await using SecureEndpoints secure = new();
        secure.Server.Listen("coap://127.0.0.1:0");
        await secure.StartAsync();
        string plain = secure.Server.LocalEndpoints.First(endpoint => endpoint.Scheme == "coap").Origin();
        await using CoapClient client = new();

        CoapResponse response = await client.GetAsync($"{plain}/hello");

        Assert.Equal(CoapCode.Unauthorized, response.Code);
        await secure.Client().GetAsync($"{secure.Host}/hello").Says("hello");
    }

    [Fact]
    public async Task The_server_pings_a_client_in_its_session()
    {
        TaskCompletionSource<CoapPeer> connected = new(RunContinuationsAsynchronously);
        await using SecureEndpoints secure = new();
        secure.Server.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        await secure.StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");

        CoapPeer peer = await connected.Task.WaitAsync(FromMinutes(2));
        object? session = peer.Connection;
        Assert.NotNull(session);
        TimeSpan roundTrip = await peer.PingAsync();

        Assert.True(roundTrip > TimeSpan.Zero);
        Assert.True(peer.IsConnected);
        Assert.Same(session, Assert.Single(secure.Server.Endpoint.ConnectedPeers).Connection);
        Assert.Equal(1, secure.Server.Counters[CoapCounter.ConnectionsAccepted]);
        Assert.Equal(SecureEndpoints.Identity, Assert.IsType<CoapDtlsPeerIdentity>(peer.Identity).PskIdentity);
    }

    [Fact]
    public async Task A_client_that_stops_ends_its_session()
    {
        TaskCompletionSource<CoapDisconnection> gone = new(RunContinuationsAsynchronously);
        await using SecureEndpoints secure = new();
        secure.Server.Endpoint.PeerDisconnected += (_, end) => gone.TrySetResult(end);
        await secure.StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");

        await client.Endpoint.DisposeAsync();

        CoapDisconnection end = await gone.Task.WaitAsync(FromMinutes(2));
        Assert.Equal(CoapError.Closed, end.Reason.Error);
        Assert.Empty(secure.Server.Endpoint.ConnectedPeers);
    }

    [Fact]
    public async Task A_request_to_a_closed_port_fails_at_once()
    {
        // Taken, so that nobody else listens there, but only for datagrams of itself: others are told that the port is unreachable.
        using Socket deaf = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        deaf.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        deaf.Connect(deaf.LocalEndPoint!);
        await using SecureEndpoints secure = new();

        CoapConnectionException exception =
            await Assert.ThrowsAsync<CoapConnectionException>(() => secure.Client().GetAsync($"coaps://{deaf.LocalEndPoint}/hello"));

        Assert.Equal(CoapError.ConnectFailed, exception.Error);
    }
}
