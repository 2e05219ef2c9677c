using System.Net;
using System.Net.WebSockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Transports.WebSockets;

/// <summary>A server that is handed WebSockets over lines in memory, and peers that are WebSockets, or raw bytes.</summary>
public abstract class WebSocketTest : IAsyncDisposable
{
    /// <summary>Our CSM with default limits: Max-Message-Size 1 MiB, Block-Wise-Transfer, Extended-Token-Length 64.</summary>
    protected const string OurCsm = "00e123100000202140";

    /// <summary>TW-01: a CSM with Max-Message-Size 1152 and Block-Wise-Transfer.</summary>
    protected const string Csm = "00e122048020";

    protected static readonly TimeSpan Hang = FromMinutes(2);

    protected CoapEndpointOptions Options { get; } = new() { Processes = { StopGracePeriod = FromSeconds(10) } };

    /// <summary>Made of the options when it is asked for first.</summary>
    private protected CoapServer Server { get => field ??= new CoapServer(Options); set; }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Lets virtual time pass until a connection is found to be slow, which is seen while it passes, and not longer.
    /// </summary>
    private protected async Task PassUntilSlowAsync(VirtualClock clock)
    {
        for (int looks = 0; Server.Counters[CoapCounter.SlowConnections] == 0; looks++)
        {
            Assert.True(looks < 10_000, "Nobody is slow.");
            clock.Advance(FromSeconds(1));
            await Eventually.PauseAsync(looks);
        }
    }

    /// <summary>How far the one connection of the server has come.</summary>
    private protected CoapConnectionTransferProgress Progress => Assert.Single(Server.Endpoint.Connections.All()).Connection!.Progress;

    private protected async Task StartAsync()
    {
        Server.Endpoint.ExpectConnections();
        await Server.StartAsync();
        Assert.Empty(Server.LocalEndpoints);
    }

    /// <summary>A peer, and the end of its connection at the server.</summary>
    private protected (WebSocket Peer, Task Ended) Connect(CoapAcceptedConnectionInfo? accepted = null,
        CancellationToken cancellationToken = default)
    {
        (Stream ours, Task ended) = ConnectRaw(accepted, 0, cancellationToken);
        return (WebSocket.CreateFromStream(ours, new WebSocketCreationOptions { SubProtocol = "coap", KeepAliveInterval = TimeSpan.Zero }),
            ended);
    }

    /// <summary>A peer that is a line of bytes, after the handshake.</summary>
    private protected (Stream Peer, Task Ended) ConnectRaw(CoapAcceptedConnectionInfo? accepted = null, long room = 0,
        CancellationToken cancellationToken = default)
    {
        (Stream ours, Stream theirs) = PipeStream.Pair(room);
        WebSocket webSocket = WebSocket.CreateFromStream(theirs,
            new WebSocketCreationOptions { IsServer = true, SubProtocol = "coap", KeepAliveInterval = TimeSpan.Zero });
        accepted ??= new CoapAcceptedConnectionInfo
        {
            Remote = new IPEndPoint(IPAddress.Loopback, 40_000),
            Local = new IPEndPoint(IPAddress.Loopback, 80)
        };
        return (ours, Server.Endpoint.AcceptWebSocketAsync(webSocket, accepted, cancellationToken));
    }

    /// <summary>A peer whose CSM was sent, and ours received.</summary>
    private protected async Task<(WebSocket Peer, Task Ended)> ConnectReadyAsync(string csm = Csm)
    {
        (WebSocket peer, Task ended) = Connect();
        Assert.Equal(OurCsm, await ReceiveAsync(peer));
        await SendAsync(peer, csm);
        return (peer, ended);
    }

    private protected static Task SendAsync(WebSocket peer, string hex, bool end = true,
        WebSocketMessageType type = WebSocketMessageType.Binary) =>
            peer.SendAsync(Wire.Hex(hex), type, end, CancellationToken.None).WaitAsync(Hang);

    /// <summary>The next message, of any number of fragments; <c>close 1000</c> for the end.</summary>
    private protected static async Task<string> ReceiveAsync(WebSocket peer)
    {
        byte[] buffer = new byte[2 << 20];
        int length = 0;
        while (true)
        {
            WebSocketReceiveResult result = await peer.ReceiveAsync(new ArraySegment<byte>(buffer, length, buffer.Length - length),
                CancellationToken.None).WaitAsync(Hang);
            if (result.MessageType == WebSocketMessageType.Close)
            {
                return $"close {(int)result.CloseStatus!}";
            }

            Assert.Equal(WebSocketMessageType.Binary, result.MessageType);
            length += result.Count;
            if (result.EndOfMessage)
            {
                return Wire.Hex(buffer.AsSpan(0, length));
            }
        }
    }

    /// <summary>The next message is an Abort (RFC 8323 section 5.6), and the close after it has a status; the peer closes, too.</summary>
    private protected static async Task AssertAbortedAsync(WebSocket peer, Task ended, int status, string reason)
    {
        string abort = await ReceiveAsync(peer);
        abort.Begins("00e5ff");
        Encoding.UTF8.GetString(Wire.Hex(abort[6..])).Mentions(reason);
        Assert.Equal($"close {status}", await ReceiveAsync(peer));
        await peer.CloseOutputAsync(WebSocketCloseStatus.NormalClosure, null, CancellationToken.None).WaitAsync(Hang);
        await ended.WaitAsync(Hang);
    }
}
