using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

// RFC 8323 section 3.3: both ends of a connection may ask, whoever opened it.
public class PeerConnectionTests : ClientConnectionTest
{
    [Fact]
    public async Task A_request_can_be_sent_to_a_device_that_merely_connected()
    {
        CoapPeer? device = null;
        Endpoint.PeerConnected += (_, peer) => device = peer;
        await StartClientAsync();
        DirectConnection connection = Connect();

        Assert.True(device!.IsConnected);
        Task<CoapResponse> asked = device.GetAsync("/3/0");
        Frame request = new(Assert.Single(connection.TakeSent()));
        Assert.Equal("b1330130", request.Rest);
        connection.Receive(Content(request));

        await Within(asked).Says("1");
        Assert.Empty(Streams.OpenedByUs);
    }

    [Fact]
    public async Task A_peer_counts_as_connected_when_its_CSM_arrives()
    {
        List<CoapPeer> connected = [];
        Endpoint.PeerConnected += (_, peer) => connected.Add(peer);
        await StartClientAsync();
        DirectConnection connection = Streams.Accept();
        Assert.Empty(connected);
        Assert.Empty(Endpoint.ConnectedPeers);

        connection.Receive(BareCsm);
        connection.Receive(BareCsm);

        CoapPeer peer = Assert.Single(connected);
        Assert.Equal(connection.Remote, peer.Address);
        Assert.Same(peer, Assert.Single(Endpoint.ConnectedPeers));
    }

    [Fact]
    public async Task The_end_of_a_connection_raises_PeerDisconnected_with_its_reason()
    {
        List<CoapDisconnection> gone = [];
        Endpoint.PeerDisconnected += (_, end) => gone.Add(end);
        await StartClientAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        CancellationToken disconnected = peer.Disconnected;
        Task<CoapResponse> asked = peer.GetAsync("/3/0");
        Assert.False(disconnected.IsCancellationRequested);

        connection.Break(new IOException("reset"));

        CoapDisconnection end = Assert.Single(gone);
        Assert.Same(peer, end.Peer);
        Assert.Equal(CoapError.Lost, end.Reason.Error);
        Assert.True(disconnected.IsCancellationRequested);
        Assert.False(peer.IsConnected);
        Assert.True(peer.Disconnected.IsCancellationRequested);
        Assert.Empty(Endpoint.ConnectedPeers);
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(asked));
    }

    [Fact]
    public async Task The_end_of_a_connection_without_a_CSM_raises_no_event()
    {
        int gone = 0;
        Endpoint.PeerDisconnected += (_, _) => gone++;
        await StartClientAsync();
        Streams.Accept().Break();
        Assert.Equal(0, gone);
    }

    [Fact]
    public async Task A_request_to_a_disconnected_device_fails_with_its_address_in_the_error()
    {
        await StartClientAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        connection.Break();

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(peer.GetAsync("/3/0")));

        Assert.Equal(CoapError.Closed, error.Error);
        Assert.False(error.IsOutcomeUnknown);
        error.Mentions(connection.Remote.ToString());
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(peer.PingAsync()));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(peer.PutAsync("/x", CoapContent.Binary(new byte[3000]))));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(peer.ObserveAsync("/x")));
        Assert.Empty(Streams.OpenedByUs);
    }

    [Fact]
    public async Task A_request_in_progress_is_not_repeated_when_the_device_disconnects()
    {
        await StartClientAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        Task<CoapResponse> asked = peer.GetAsync("/3/0");

        connection.Break(new IOException("reset"));

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(asked));
        Assert.Equal(CoapError.Lost, error.Error);
        Assert.Equal(0, Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    public async Task A_request_to_a_peer_that_the_client_connected_to_reconnects()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        CancellationToken first = peer.Disconnected;
        Streams.OpenedByUs[0].Break();
        Assert.False(peer.IsConnected);
        Assert.True(first.IsCancellationRequested);

        await Within(peer.GetAsync("/x")).Says("1");

        Assert.Equal(2, Streams.OpenedByUs.Count);
        Assert.True(peer.IsConnected);
        Assert.False(peer.Disconnected.IsCancellationRequested);
    }

    [Fact]
    public async Task A_peer_that_sent_a_request_is_asked_over_the_same_connection()
    {
        Task<CoapResponse>? asked = null;
        Server.MapPost("/register", (CoapRequestContext request) =>
        {
            asked = request.Peer.GetAsync("/3/0");
            return CoapResults.Changed();
        });
        await StartClientAsync();
        DirectConnection connection = Connect();

        connection.Receive("9102aab8" + Convert.ToHexStringLower("register"u8));

        string[] sent = connection.TakeSent();
        Frame request = Assert.Single(sent.Select(hex => new Frame(hex)), frame => frame.Code == 1);
        connection.Receive(Content(request));
        await Within(asked!).Says("1");
    }

    [Fact]
    public async Task A_ping_to_a_device_that_connected_goes_over_its_connection()
    {
        await StartClientAsync();
        DirectConnection connection = Connect();
        Task<TimeSpan> ping = Assert.Single(Endpoint.ConnectedPeers).PingAsync();
        Frame frame = new(Assert.Single(connection.TakeSent()));
        Assert.Equal(0xe2, frame.Code);
        Clock.Advance(FromSeconds(1));
        connection.Receive($"0{frame.Token.Length / 2:x}e3{frame.Token}");
        Assert.Equal(FromSeconds(1), await Within(ping));
    }

    [Fact]
    public async Task LastSeen_of_a_peer_is_updated_by_every_message()
    {
        await StartClientAsync();
        DirectConnection connection = Connect();
        CoapPeer peer = Assert.Single(Endpoint.ConnectedPeers);
        DateTimeOffset first = peer.LastSeen;
        Clock.Advance(FromSeconds(10));
        Assert.Equal(first, peer.LastSeen);
        connection.Receive("01e242");
        Assert.Equal(first + FromSeconds(10), peer.LastSeen);
    }

    [Fact]
    public async Task An_exception_of_a_connection_event_handler_is_logged_and_the_other_handlers_still_run()
    {
        int told = 0;
        Endpoint.PeerConnected += static (_, _) => throw new InvalidOperationException("boom");
        Endpoint.PeerConnected += (_, _) => told++;
        Endpoint.PeerDisconnected += static (_, _) => throw new InvalidOperationException("boom");
        Endpoint.PeerDisconnected += (_, _) => told++;
        await StartClientAsync();
        DirectConnection connection = Connect();
        Assert.Single(Endpoint.ConnectedPeers).Disconnected.Register(static () => throw new InvalidOperationException("boom"));

        connection.Break();

        Assert.Equal(2, told);
        Assert.Equal(3, Logs.Entries.Count(entry => entry.Id.Id == 1763));
        Assert.Equal(0, Endpoint.Connections.Count);
    }

    [Fact]
    public async Task A_handler_may_ask_the_peer_that_just_connected()
    {
        Task<CoapResponse>? asked = null;
        Endpoint.PeerConnected += (_, peer) => asked = peer.GetAsync("/3/0");
        await StartClientAsync();
        DirectConnection connection = Streams.Accept();
        connection.TakeSent();

        connection.Receive(LargeCsm);

        connection.Receive(Content(new Frame(Assert.Single(connection.TakeSent()))));
        await Within(asked!);
    }

    [Fact]
    public async Task Peers_on_datagrams_are_never_connected()
    {
        CoapPeer? peer = null;
        Server.MapGet("/x", (CoapRequestContext request) =>
        {
            peer = request.Peer;
            return CoapResults.Text("1");
        });
        await StartAsync();
        Exchange("40010001b178");
        Assert.False(peer!.IsConnected);
        Assert.False(peer.Disconnected.CanBeCanceled);
        Assert.Empty(Endpoint.ConnectedPeers);
    }
}
