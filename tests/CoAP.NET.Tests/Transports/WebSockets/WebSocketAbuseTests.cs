using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>Peers that break the rules of RFC 8323 section 4, or of WebSockets, or take their time.</summary>
public sealed class WebSocketAbuseTests : WebSocketTest
{
    [Fact]
    [Rfc("8323-4.2-1")]
    public async Task A_text_message_is_aborted_and_closed_with_1003()
    {
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, "4142", type: WebSocketMessageType.Text);
        await AssertAbortedAsync(peer, ended, 1003, "text");
        Assert.Equal(1, Server.Counters[CoapCounter.FormatErrors]);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsAborted]);
    }

    [Theory]
    [InlineData("11e24220", "LengthNotZero")]
    [InlineData("00", "HeaderTruncated")]
    [InlineData("0f01", "TokenLengthReserved")]
    [InlineData("0201aa", "TokenTruncated")]
    [InlineData("0001ff", "PayloadMissing")]
    [InlineData("0020", "CodeReserved")]
    [Rfc("8323-4.2-1")]
    [Rfc("8323-5.6-1")]
    public async Task A_malformed_message_is_aborted_and_closed_with_1002(string hex, string rule)
    {
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, hex);
        await AssertAbortedAsync(peer, ended, 1002, rule);
    }

    [Fact]
    public async Task An_empty_message_is_aborted()
    {
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, string.Empty);
        await AssertAbortedAsync(peer, ended, 1002, "without a byte");
    }

    [Fact]
    public async Task A_message_of_empty_fragments_is_aborted()
    {
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await SendAsync(peer, string.Empty, end: false);
        await SendAsync(peer, string.Empty, end: false);
        await SendAsync(peer, string.Empty);
        await AssertAbortedAsync(peer, ended, 1002, "without a byte");
    }

    [Fact]
    [Rfc("8323-3.3-3")]
    public async Task A_request_before_the_CSM_is_aborted()
    {
        await StartAsync();
        (WebSocket peer, Task ended) = Connect();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await SendAsync(peer, "0001");
        await AssertAbortedAsync(peer, ended, 1002, "CSM");
    }

    [Fact]
    [Rfc("8323-3.3-3")]
    public async Task A_connection_whose_peer_sends_no_CSM_is_aborted_after_CsmTimeout()
    {
        VirtualClock clock = StandStill();
        await StartAsync();
        (WebSocket peer, Task ended) = Connect();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await PassUntilSlowAsync(clock);
        await AssertAbortedAsync(peer, ended, 1002, "No CSM");
        Assert.Equal(1, Server.Counters[CoapCounter.SlowConnections]);
    }

    [Fact]
    [Rfc("8323-5.3.1-2")]
    public async Task A_message_above_MaxMessageSize_is_aborted_and_closed_with_1009_before_its_end()
    {
        Options.Limits.Connections.MaxMessageSize = 2000;
        Server = new CoapServer(Options);
        await StartAsync();
        (WebSocket peer, Task ended) = Connect();
        await ReceiveAsync(peer);
        await SendAsync(peer, Csm);

        // Not ended, and never will be.
        await SendAsync(peer, "0002ff" + new string('0', 2 * 1000), end: false);
        await SendAsync(peer, new string('0', 2 * 1000), end: false);
        await AssertAbortedAsync(peer, ended, 1009, "MessageTooLarge");
        Assert.Equal(1, Server.Counters[CoapCounter.FramesRefused]);
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes == 0);
    }

    [Fact]
    public async Task Incomplete_messages_share_ReceiveMemory_and_a_refused_message_frees_its_bytes()
    {
        Options.Limits.Connections.ReceiveMemory = 64 * 1024;
        Server = new CoapServer(Options);
        await StartAsync();
        (WebSocket one, Task oneEnded) = await ConnectReadyAsync();
        (WebSocket other, Task otherEnded) = await ConnectReadyAsync();
        string part = "0002ff" + new string('0', 2 * 40_000);
        await SendAsync(one, part, end: false);

        // Another thread reads it; the second one is to come later.
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes >= 40_000);
        await SendAsync(other, part, end: false);
        await oneEnded.WaitAsync(Hang);
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes >= 40_000);
        Assert.InRange(Server.Endpoint.FrameAssemblyBytes, 40_000, 64 * 1024);
        Assert.Equal(1, Server.Counters[CoapCounter.FramesRefused]);
        Assert.False(otherEnded.IsCompleted);
        one.Dispose();
        other.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Incomplete_messages_of_some_addresses_do_not_block_the_messages_of_others(int sources)
    {
        const int Each = 10;
        Options.Limits.Connections.MaxMessageSize = 64 * 1024;
        Options.Limits.Connections.ReceiveMemory = 1024 * 1024;
        Options.Limits.Connections.MaxSourceFraction = 0.5;
        Server = new CoapServer(Options);
        Server.MapPost("/up", static request => CoapResults.Changed(CoapContent.Text($"{request.Payload.Length}")));
        await StartAsync();
        List<WebSocket> held = [];
        for (int i = 0; i < sources * Each; i++)
        {
            // Two of the sources are of one IPv6 /56 each: another interface there is no other source.
            IPAddress from = i % sources % 2 == 0
                ? new IPAddress([10, 0, 0, (byte)(i % sources)])
                : IPAddress.Parse($"2001:db8:0:{i % sources}00::{i + 1:x}");
            (WebSocket peer, _) = Connect(new CoapAcceptedConnectionInfo { Remote = new IPEndPoint(from, 1000 + i) });
            await ReceiveAsync(peer);
            await SendAsync(peer, Csm);
            await SendAsync(peer, "0002ff" + new string('0', 2 * 60_000), end: false);
            held.Add(peer);
        }

        // A message of 60 kB takes 64 KiB: eight of them are the share of a source, and sixteen all that there is.
        await Eventually.IsTrueAsync(() => Server.Counters[CoapCounter.ConnectionsEvicted] == (sources * Each) - (sources == 1 ? 8 : 16));
        Assert.InRange(Server.Endpoint.FrameAssemblyBytes, 1, 1024 * 1024);
        (WebSocket honest, Task honestEnded) = Connect();
        await ReceiveAsync(honest);
        await SendAsync(honest, Csm);
        await SendAsync(honest, "0102aab27570ff" + new string('1', 2 * 6000), end: false);
        await Eventually.IsTrueAsync(() =>
            Server.Endpoint.Connections.All().Exists(static channel => channel.Connection!.Progress.PartialReceived is > 5000 and < 7000));
        await SendAsync(honest, new string('1', 2 * 6000));
        (await ReceiveAsync(honest)).Ends("3132303030");
        Assert.False(honestEnded.IsCompleted);
        honest.Dispose();
        held.ForEach(static peer => peer.Dispose());
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes == 0);
    }

    [Theory]
    [InlineData("820400e100e100e1", "an unmasked frame")]
    [InlineData("f28100000000", "reserved bits")]
    [InlineData("8381000000004100", "a reserved opcode")]
    [InlineData("8081000000004100", "a continuation of nothing")]
    [InlineData("89fe010000000000", "a long control frame")]
    public async Task A_frame_that_violates_the_WebSocket_protocol_ends_the_connection(string hex, string what)
    {
        await StartAsync();
        (Stream peer, Task ended) = ConnectRaw();
        await peer.WriteAsync(Wire.Hex(hex));
        await ended.WaitAsync(Hang);
        Assert.NotEmpty(what);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsClosed]);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsLost]);
    }

    [Fact]
    public async Task A_connection_lost_inside_a_message_ends_and_frees_its_memory()
    {
        await StartAsync();
        (Stream peer, Task ended) = ConnectRaw();
        await peer.WriteAsync(Wire.Hex("8286000000000001"));
        await peer.DisposeAsync();
        await ended.WaitAsync(Hang);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsLost]);
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes == 0);
    }

    [Theory]
    [InlineData("")] // nothing but the header of a frame
    [InlineData("0001")]
    public async Task An_incomplete_message_is_aborted_after_FrameTimeout(string begun)
    {
        VirtualClock clock = StandStill();
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await Eventually.IsTrueAsync(() => Server.Endpoint.ConnectedPeers.Count == 1);
        await SendAsync(peer, begun, end: false);
        await Eventually.IsTrueAsync(() => Progress.PartialLength > 0);
        await PassUntilSlowAsync(clock);
        await AssertAbortedAsync(peer, ended, 1002, "too long");
        Assert.Equal(1, Server.Counters[CoapCounter.SlowConnections]);
    }

    [Fact]
    public async Task Empty_fragments_do_not_extend_the_time_limit_of_a_message()
    {
        VirtualClock clock = StandStill();
        await StartAsync();
        (WebSocket peer, Task ended) = await ConnectReadyAsync();
        await Eventually.IsTrueAsync(() => Server.Endpoint.ConnectedPeers.Count == 1);
        await SendAsync(peer, string.Empty, end: false);
        await Eventually.IsTrueAsync(() => Progress.PartialLength > 0);
        Task<string> abort = ReceiveAsync(peer);
        for (int looks = 0; Server.Counters[CoapCounter.SlowConnections] == 0; looks++)
        {
            await SendAsync(peer, string.Empty, end: false);
            await Eventually.PauseAsync(looks);
            clock.Advance(FromSeconds(1));
        }

        (await abort).Begins("00e5ff");
        Assert.Equal("close 1002", await ReceiveAsync(peer));
        peer.Dispose();
        await ended.WaitAsync(Hang);
    }

    [Fact]
    public async Task A_connection_whose_peer_reads_nothing_is_closed_after_SendTimeout()
    {
        VirtualClock clock = StandStill();
        Server.MapGet("/large", () => CoapResults.Bytes(new byte[500_000]));
        await StartAsync();
        (Stream line, Task ended) = ConnectRaw(room: 4096);
        using WebSocket peer = WebSocket.CreateFromStream(line,
            new WebSocketCreationOptions { SubProtocol = "coap", KeepAliveInterval = TimeSpan.Zero });
        await SendAsync(peer, "00e12310000020");
        await SendAsync(peer, "0001b56c61726765");
        await Eventually.IsTrueAsync(() => Progress.BytesWaiting > 100_000);
        await PassUntilSlowAsync(clock);
        await ended.WaitAsync(Hang);
        Assert.Equal(1, Server.Counters[CoapCounter.SlowConnections]);
    }

    [Fact]
    public async Task More_connections_than_allowed_are_refused()
    {
        Options.Limits.Connections.MaxCount = 1;
        Server = new CoapServer(Options);
        await StartAsync();
        (WebSocket first, _) = await ConnectReadyAsync();
        (_, Task refused) = Connect();
        CoapConnectionException exception = await Assert.ThrowsAsync<CoapConnectionException>(() => refused.WaitAsync(Hang));
        Assert.Equal(CoapError.Refused, exception.Error);
        Assert.Equal(1, Server.Counters[CoapCounter.ConnectionsRefused]);
        await SendAsync(first, "01e242");
        Assert.Equal("01e342", await ReceiveAsync(first));
    }

    [Fact]
    [Rfc("8323-4.4-1")]
    public async Task The_server_answers_a_WebSocket_Ping_with_a_Pong()
    {
        await StartAsync();
        (Stream peer, _) = ConnectRaw();
        byte[] csm = new byte[2 + (OurCsm.Length / 2)];
        await peer.ReadExactlyAsync(csm).AsTask().WaitAsync(Hang);
        Assert.Equal("8209" + OurCsm, Wire.Hex(csm));
        await peer.WriteAsync(Wire.Hex("89820000000041428282000000000000"));
        byte[] pong = new byte[4];
        await peer.ReadExactlyAsync(pong).AsTask().WaitAsync(Hang);
        Assert.Equal("8a024142", Wire.Hex(pong));
    }

    [Fact]
    public async Task Random_bytes_do_not_stop_the_server()
    {
        Server.MapGet("/a", () => CoapResults.Text("b"));
        await StartAsync();
        Random random = new(20_261_120);
        for (int round = 0; round < 60; round++)
        {
            (WebSocket peer, Task ended) = await ConnectReadyAsync();
            for (int i = 0; i < 20 && peer.State == WebSocketState.Open; i++)
            {
                byte[] bytes = new byte[random.Next(0, 40)];
                random.NextBytes(bytes);
                if (bytes.Length > 1 && random.Next(3) > 0)
                {
                    (bytes[0], bytes[1]) = ((byte)(bytes[0] & 0x03), (byte)(1 + (bytes[1] % 7)));
                }

                try
                {
                    await peer.SendAsync(bytes, WebSocketMessageType.Binary, random.Next(4) > 0, CancellationToken.None).WaitAsync(Hang);
                }
                catch (WebSocketException)
                {
                    break;
                }
            }

            peer.Abort();
            await ended.WaitAsync(Hang);
        }

        (WebSocket last, _) = await ConnectReadyAsync();
        await SendAsync(last, "010153b161");
        Assert.Equal("014553c0ff62", await ReceiveAsync(last));
        Assert.Equal(0, Server.Counters[CoapCounter.StageErrors]);
        await Eventually.IsTrueAsync(() => Server.Endpoint.FrameAssemblyBytes == 0);
    }

    /// <summary>Has the server a clock that stands until the test lets time pass.</summary>
    private VirtualClock StandStill()
    {
        VirtualClock clock = new();
        Options.TimeProvider = clock;
        return clock;
    }
}
