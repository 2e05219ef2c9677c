using System.Net;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>With TLS over the platform's asynchronous sockets.</summary>
public sealed class TlsAsyncSuite : TlsSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;
}

/// <summary>With TLS over sockets that the loops watch, where there are any.</summary>
public sealed class TlsLoopSuite : TlsSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Auto;
}

/// <summary>With TLS.</summary>
public abstract class TlsSuite : MemoryExhaustionSuite
{
    private readonly Dictionary<Socket, HalvingStream> _lines = [];

    protected override bool UsesTls => true;

    protected override int Many => 100;

    [Fact]
    public async Task A_peer_that_does_not_complete_the_TLS_handshake_is_closed_and_other_peers_are_served()
    {
        const int silent = 50;
        await StartAsync();
        List<Socket> sockets = [];
        for (int i = 0; i < silent; i++)
        {
            sockets.Add(new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp));
            await Within(sockets[i].ConnectAsync(new IPEndPoint(IPAddress.Loopback, Port)));
        }

        await Within(Client.GetAsync(Uri + "/x")).Says("hi");
        await UntilAsync(
            () =>
            {
                Clock.Advance(FromSeconds(1));
                return Count(CoapCounter.HandshakesFailed) >= silent;
            },
            () => $"{Count(CoapCounter.HandshakesFailed)} were closed.");
        foreach (Socket socket in sockets)
        {
            Assert.Equal(0, await Within(socket.ReceiveAsync(new byte[1])));
            socket.Dispose();
        }

        await using AsyncPeer peer = await ConnectAsync();
        await peer.SendAsync(GetX);
        await peer.ExpectAsync(AnswerX);
        Assert.Equal(silent, Count(CoapCounter.HandshakesFailed));
    }

    [Fact]
    public async Task A_TLS_record_that_arrives_in_halves_is_processed_and_charged_only_while_incomplete()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            await SendHalfAsync(peer);
            await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == TlsInnerStream.RecordBuffer,
                () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
            Assert.InRange(Assert.Single(Connections).Progress.PartialReceived, 1, 100);

            await _lines[peer.Socket].SendRestAsync();
            await peer.ExpectAsync(AnswerX);
            await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == 0,
                () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
            Assert.Equal(0, Assert.Single(Connections).Progress.PartialLength);
        }

        await CloseAsync([peer]);
    }

    [Fact]
    public async Task An_incomplete_TLS_record_aborts_its_connection_after_FrameTimeout()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        CoapConnection connection = Assert.Single(Connections);
        await SendHalfAsync(peer);
        await UntilAsync(() => connection.Progress.PartialLength > 0, static () => "Nothing came.");

        await PassUntilAsync(Options.Transports.Streams.FrameTimeout, CoapCounter.SlowConnections, 1);

        await peer.ReadAbortAsync();
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
        await peer.ReadToAnyEndAsync();
        peer.Reset();
        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Incomplete_TLS_records_use_only_the_memory_share_of_their_source(int sources)
    {
        const int Each = 12;
        const int Share = 8;
        Options.Limits.Connections.MaxMessageSize = 64 * 1024;
        Options.Limits.Connections.ReceiveMemory = 3 * Share * TlsInnerStream.RecordBuffer;
        Options.Limits.Connections.MaxSourceFraction = 0.34;
        await StartAsync();
        await using AsyncPeer honest = await ConnectAsync();
        List<AsyncPeer> held = [];
        for (int i = 0; i < sources * Each; i++)
        {
            held.Add(await ConnectFromAsync(i % sources));
            await SendHalfAsync(held[i]);
        }

        await UntilAsync(CoapCounter.ConnectionsEvicted, sources * (Each - Share));
        await UntilAsync(
            () => Server.Endpoint.FrameAssemblyBytes == sources * Share * TlsInnerStream.RecordBuffer,
            () => $"{Server.Endpoint.FrameAssemblyBytes} bytes are accounted.");
        await SendHalfAsync(honest);
        await _lines[honest.Socket].SendRestAsync();
        await honest.ExpectAsync(AnswerX);
        Assert.Equal(sources * (Each - Share), Count(CoapCounter.ConnectionsEvicted));
        await UntilAsync(CoapCounter.FramesRefused, sources * (Each - Share));
        Assert.Equal(sources * (Each - Share), Count(CoapCounter.FramesRefused));
        await CloseAsync(held, honest);
    }

    private protected override Stream LineOf(Socket socket) => _lines[socket] = new HalvingStream(socket);

    private async Task SendHalfAsync(AsyncPeer peer)
    {
        _lines[peer.Socket].Halves = true;
        await peer.SendAsync(GetX);
    }
}

/// <summary>With TLS over the platform's asynchronous sockets, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class TlsAsyncLeakSuite : LeakSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Portable;

    protected override bool UsesTls => true;
}

/// <summary>With TLS over sockets that the loops watch, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class TlsLoopLeakSuite : LeakSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Auto;

    protected override bool UsesTls => true;
}
