using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Transports.WebSockets;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>RFC 8323 section 4, at a server: what a peer sends and gets as WebSocket messages.</summary>
public sealed class WebSocketServingTests : WebSocketTest
{
    [Fact]
    [Rfc("8323-4.3-1")]
    public async Task The_CSM_is_the_first_message()
    {
        await StartAsync();
        (WebSocket peer, _) = Connect();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
    }

    [Fact]
    [Rfc("8323-4.2-1", "8323-4.3-2")]
    public async Task A_request_is_answered_as_in_Figure_17_of_RFC_8323()
    {
        Server.MapGet("/sensors/temperature",
            request => CoapResults.Text($"22.3 {(request.TryGetQuery("u", out string? unit) ? unit : "?")}"));
        await StartAsync();
        (WebSocket peer, _) = await ConnectReadyAsync();
        await SendAsync(peer, "010153b773656e736f72730b74656d706572617475726545753d43656c");
        Assert.Equal("014553c0ff32322e332043656c", await ReceiveAsync(peer));
    }

    [Fact]
    [Rfc("8323-4.2-1")]
    public async Task A_message_may_arrive_in_any_fragments()
    {
        Server.MapGet("/a", () => CoapResults.Text("b"));
        await StartAsync();
        (WebSocket peer, _) = await ConnectReadyAsync();
        foreach (string part in (string[])["01", "", "0153", "", "b1"])
        {
            await SendAsync(peer, part, end: false);
        }

        await SendAsync(peer, "61");
        Assert.Equal("014553c0ff62", await ReceiveAsync(peer));
        await SendAsync(peer, "010154b161", end: false);
        await SendAsync(peer, string.Empty);
        Assert.Equal("014554c0ff62", await ReceiveAsync(peer));
    }

    [Fact]
    public async Task A_large_message_is_sent_as_one_message_in_both_directions()
    {
        Server.MapPost("/echo", request => CoapResults.Bytes(request.Payload)).WithMaxBodySize(1 << 20);
        await StartAsync();
        (WebSocket peer, _) = await ConnectReadyAsync("00e12310000020");
        byte[] body = [.. Enumerable.Range(0, 300_000).Select(static i => (byte)(i * 31))];
        CoapMessage request = new(CoapCode.Post) { Token = new CoapToken([7]), Payload = body };
        request.Options.Add(CoAP.NET.OptionNumber.UriPath, "echo"u8);
        await SendAsync(peer, Wire.Hex(CoapWebSocketSerializer.Default.Serialize(request)));
        CoapMessage response = CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(await ReceiveAsync(peer)));
        Assert.Equal("07", response.Token.ToString());
        Assert.Equal(body, response.Payload.ToArray());
    }

    [Fact]
    [Rfc("8323-5.4-1")]
    public async Task Ping_is_answered_by_Pong()
    {
        await StartAsync();
        (WebSocket peer, _) = await ConnectReadyAsync();
        await SendAsync(peer, "01e242");
        Assert.Equal("01e342", await ReceiveAsync(peer));
    }

    [Fact]
    [Rfc("8323-5.5-1")]
    public async Task A_Release_ends_the_connection_after_the_pending_requests()
    {
        TaskCompletionSource go = new();
        Server.MapGet("/slow", async (CoapRequestContext request, CancellationToken _) =>
        {
            await go.Task;
            return CoapResults.Text("done");
        });
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, "010153b4736c6f77");
        await SendAsync(peer, "00e4");
        go.SetResult();
        Assert.Equal("014553c0ff646f6e65", await ReceiveAsync(peer));

        // The Empty message that may always be the last, and the close.
        Assert.Equal("0000", await ReceiveAsync(peer));
        Assert.Equal("close 1000", await ReceiveAsync(peer));
        await peer.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None);
        await ended.WaitAsync(Hang);
    }

    [Fact]
    public async Task A_Close_of_the_peer_is_answered_and_ends_the_connection()
    {
        await StartAsync();
        TaskCompletionSource<CoapDisconnection> gone = new();
        Server.Endpoint.PeerDisconnected += (_, end) => gone.TrySetResult(end);
        TaskCompletionSource connected = new();
        Server.Endpoint.PeerConnected += (_, _) => connected.TrySetResult();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await connected.Task.WaitAsync(Hang);
        await peer.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(Hang);
        Assert.Equal(WebSocketState.Closed, peer.State);
        await ended.WaitAsync(Hang);
        Assert.Equal(CoapError.Closed, (await gone.Task.WaitAsync(Hang)).Reason.Error);
        Assert.Equal(0, Server.Counters[CoapCounter.ConnectionsLost]);
    }

    [Theory]
    [InlineData(WebSocketCloseStatus.NormalClosure, "closed the connection")]
    [InlineData(WebSocketCloseStatus.InternalServerError, "closed the WebSocket: 1011 broken")]
    public async Task A_failed_write_does_not_replace_the_close_reason_of_the_peer(WebSocketCloseStatus status, string reason)
    {
        await StartAsync();
        TaskCompletionSource<CoapDisconnection> gone = new();
        Server.Endpoint.PeerDisconnected += (_, end) => gone.TrySetResult(end);
        using WritingWhenClosedSocket webSocket = new(status);
        CoapAcceptedConnectionInfo accepted = new()
        {
            Remote = new IPEndPoint(IPAddress.Loopback, 40_000),
            Local = new IPEndPoint(IPAddress.Loopback, 80)
        };
        await Server.Endpoint.AcceptWebSocketAsync(webSocket, accepted, CancellationToken.None).WaitAsync(Hang);
        CoapConnectionException end = (await gone.Task.WaitAsync(Hang)).Reason;
        Assert.Equal(CoapError.Closed, end.Error);
        end.Mentions(reason);
    }

    [Fact]
    public async Task Cancelling_the_accept_call_releases_the_connection()
    {
        await StartAsync();
        using CancellationTokenSource stop = new();
        (WebSocket peer, Task ended) = Connect(cancellationToken: stop.Token);
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await SendAsync(peer, Csm);
        await Eventually.IsTrueAsync(() => Server.Endpoint.ConnectedPeers.Count == 1);
        await stop.CancelAsync();
        Assert.Equal("00e4", await ReceiveAsync(peer));
        await peer.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(Hang);
        await ended.WaitAsync(Hang);
    }

    [Fact]
    public async Task Stopping_releases_the_connection_and_refuses_new_ones()
    {
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await Eventually.IsTrueAsync(() => Server.Endpoint.ConnectedPeers.Count == 1);
        Task stopping = Server.StopAsync();
        Assert.Equal("00e4", await ReceiveAsync(peer));
        await peer.CloseAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(Hang);
        await ended.WaitAsync(Hang);
        await stopping.WaitAsync(Hang);
        (_, Task refused) = Connect();
        await Assert.ThrowsAnyAsync<CoapException>(() => refused.WaitAsync(Hang));
    }

    [Fact]
    [Rfc("8323-8.5-1")]
    public async Task The_peer_has_the_accepted_address_and_identity_and_Uri_Host_defaults_to_the_Host_header()
    {
        CoapNamedPeerIdentity who = new("who");
        CoapRequestContext? seen = null;
        Server.MapGet("/a", request =>
        {
            seen = request;
            return CoapResults.Text(request.GetUri().ToString());
        });
        await StartAsync();
        (WebSocket peer, _) = Connect(new CoapAcceptedConnectionInfo
        {
            Remote = new IPEndPoint(IPAddress.Parse("192.0.2.7"), 1234),
            Local = new IPEndPoint(IPAddress.Parse("192.0.2.1"), 443),
            IsSecure = true,
            Identity = who,
            ServerName = "Example.NET",
        });
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await SendAsync(peer, Csm);
        await SendAsync(peer, "010153b161");
        string answer = await ReceiveAsync(peer);
        Assert.Equal("coaps+ws://example.net/a",
            Encoding.UTF8.GetString(CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(answer)).Payload.Span));
        Assert.Equal("192.0.2.7:1234", seen!.Peer.Address.ToString());
        Assert.Same(who, seen.Peer.Identity);
    }

    [Fact]
    [Rfc("8323-3.3-5")]
    public async Task The_server_can_send_requests_over_the_WebSocket_of_the_peer()
    {
        await StartAsync();
        TaskCompletionSource<CoapPeer> connected = new();
        Server.Endpoint.PeerConnected += (_, peer) => connected.TrySetResult(peer);
        (WebSocket device, _) = await ConnectReadyAsync();
        CoapPeer known = await connected.Task.WaitAsync(Hang);
        Task<CoapResponse> asked = known.GetAsync("/3/0");
        CoapMessage request = CoapWebSocketSerializer.Default.Deserialize(Wire.Hex(await ReceiveAsync(device)));
        Assert.Equal(CoapCode.Get, request.Code);
        await SendAsync(device,
            Wire.Hex(CoapWebSocketSerializer.Default.Serialize(
                new CoapMessage(CoapCode.Content) { Token = request.Token, Payload = "x"u8.ToArray() })));
        await asked.WaitAsync(Hang).Says("x");
    }

    /// <summary>A WebSocket whose peer sends its CSM and closes while a write waits. The write fails when the output is closed.</summary>
    private sealed class WritingWhenClosedSocket(WebSocketCloseStatus status) : WebSocket
    {
        private readonly TaskCompletionSource _writing = new(RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _written = new(RunContinuationsAsynchronously);
        private readonly TaskCompletionSource _aborted = new(RunContinuationsAsynchronously);
        private readonly byte[] _csm = Wire.Hex(Csm);
        private int _read;
        private WebSocketState _state = WebSocketState.Open;

        public override WebSocketCloseStatus? CloseStatus => _state == WebSocketState.Open ? null : status;

        public override string? CloseStatusDescription => "broken";

        public override WebSocketState State => _state;

        public override string? SubProtocol => CoapWebSocketTransport.SubProtocol;

        public override Task SendAsync(
            ArraySegment<byte> buffer, WebSocketMessageType messageType, bool endOfMessage, CancellationToken cancellationToken)
        {
            _writing.TrySetResult();
            return _written.Task;
        }

        public override async Task<WebSocketReceiveResult> ReceiveAsync(ArraySegment<byte> buffer, CancellationToken cancellationToken)
        {
            int count = Math.Min(buffer.Count, _csm.Length - _read);
            if (_read < _csm.Length)
            {
                _csm.AsSpan(_read, count).CopyTo(buffer);
                _read += count;
                return new WebSocketReceiveResult(count, WebSocketMessageType.Binary, _read == _csm.Length);
            }

            await _writing.Task;
            _state = WebSocketState.CloseReceived;
            return new WebSocketReceiveResult(0, WebSocketMessageType.Close, true, status, CloseStatusDescription);
        }

        public override Task CloseOutputAsync(
            WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken)
        {
            _written.TrySetException(new WebSocketException(WebSocketError.InvalidState));
            return _aborted.Task;
        }

        public override Task CloseAsync(WebSocketCloseStatus closeStatus, string? statusDescription, CancellationToken cancellationToken) =>
            CloseOutputAsync(closeStatus, statusDescription, cancellationToken);

        public override void Abort()
        {
            _state = WebSocketState.Aborted;
            _aborted.TrySetResult();
        }

        public override void Dispose() => Abort();
    }
}
