using System.Net;
using System.Net.Sockets;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>With TLS over the platform's asynchronous sockets.</summary>
public sealed class TlsAsyncSuite : TlsSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Async;
}

/// <summary>With TLS over sockets that the loops watch, where there are any.</summary>
public sealed class TlsLoopSuite : TlsSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;
}

/// <summary>With TLS.</summary>
public abstract class TlsSuite : HoldingSuite
{
    private readonly Dictionary<Socket, HalvingStream> _lines = [];

    protected override bool UsesTls => true;

    protected override int Many => 100;

    [Fact]
    public async Task Who_does_not_shake_hands_is_closed_and_others_are_served()
    {
        const int silent = 50;
        await StartAsync();
        List<Socket> sockets = [];
        for (int i = 0; i < silent; i++)
        {
            sockets.Add(new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp));
            await Within(sockets[i].ConnectAsync(new IPEndPoint(IPAddress.Loopback, Port)));
        }

        Assert.Equal("hi", (await Within(Client.GetAsync(Uri + "/x"))).GetText());
        await UntilAsync(
            () =>
            {
                Clock.Advance(TimeSpan.FromSeconds(1));
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
    public async Task A_record_that_comes_in_halves_is_served_and_takes_memory_only_meanwhile()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        for (int i = 0; i < 3; i++)
        {
            await SendHalfAsync(peer);
            await UntilAsync(() => Server.Endpoint.FrameAssemblyBytes == TlsSocketStream.RecordBuffer,
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
    public async Task A_record_whose_rest_does_not_come_aborts_its_connection_after_the_time_for_frames()
    {
        await StartAsync();
        await using AsyncPeer peer = await ConnectAsync();
        CoapConnection connection = Assert.Single(Connections);
        await SendHalfAsync(peer);
        await UntilAsync(() => connection.Progress.PartialLength > 0, static () => "Nothing came.");

        await PassUntilAsync(Options.Streams.FrameTimeout, CoapCounter.SlowConnections, 1);

        await peer.ReadAbortAsync();
        Assert.Equal(1, Count(CoapCounter.SlowConnections));
        await peer.ReadToAnyEndAsync();
        peer.Reset();
        await AssertNothingLeftAsync();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Half_records_take_the_share_of_their_source_and_no_other_goes_for_them(int sources)
    {
        const int Each = 12;
        const int Share = 8;
        Options.Limits.MaxStreamMessageSize = 64 * 1024;
        Options.Limits.MaxFrameAssemblyBytes = 3 * Share * TlsSocketStream.RecordBuffer;
        Options.Limits.StreamSourceShare = 0.34;
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
            () => Server.Endpoint.FrameAssemblyBytes == sources * Share * TlsSocketStream.RecordBuffer,
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
    protected override CoapTcpEngine Engine => CoapTcpEngine.Async;

    protected override bool UsesTls => true;
}

/// <summary>With TLS over sockets that the loops watch, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class TlsLoopLeakSuite : LeakSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;

    protected override bool UsesTls => true;
}
