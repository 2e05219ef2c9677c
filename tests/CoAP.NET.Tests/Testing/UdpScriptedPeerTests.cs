using System.Net;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public class UdpScriptedPeerTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task Two_UdpScriptedPeers_exchange_datagrams_over_real_sockets()
    {
        using UdpScriptedPeer client = new() { HangLimit = s_hang };
        using UdpScriptedPeer server = new() { HangLimit = s_hang };
        client.Remote = CoapAddress.FromIPEndPoint(server.EndPoint);
        Assert.NotEqual(0, server.EndPoint.Port);

        client.Send("42 01 7d34 2021 b4 'temp'");
        ReceivedDatagram request = await server.ExpectAsync("4? 01 <mid:2> <token:tkl> b4 'temp'");
        Assert.Equal(CoapAddress.FromIPEndPoint(client.EndPoint), request.From);
        server.Acknowledge(request);
        server.Reset(request);
        server.Piggyback(request, CoapCode.Content, "ff 'hi'");
        server.Respond(request, CoapMessageType.Confirmable, 0x0102, CoapCode.Content, "ff 'hi'");
        server.Send("60 00 <mid>");

        await client.ExpectAsync("60 00 7d34");
        await client.ExpectAsync("70 00 7d34");
        await client.ExpectAsync("62 45 7d34 2021 ff 'hi'");
        await client.ExpectAsync("42 45 0102 2021 ff 'hi'");
        await client.ExpectAsync("60 00 7d34");
        Assert.Equal(5, client.Received.Count);
        Assert.Equal(Wire.Hex("2021"), server.Remembered["token"]);
    }

    [Fact]
    public async Task A_mismatch_error_names_the_position_and_the_received_byte()
    {
        using UdpScriptedPeer peer = new() { HangLimit = s_hang };
        peer.SendTo(CoapAddress.FromIPEndPoint(peer.EndPoint), Wire.Hex("40010001"));
        ScriptExpectationException error = await Assert.ThrowsAsync<ScriptExpectationException>(() => peer.ExpectAsync("40 01 0002"));
        error.Mentions("At byte 3: 01, 02 expected");
    }

    [Fact]
    public async Task ReceiveAsync_fails_after_HangLimit()
    {
        VirtualClock clock = new();
        using UdpScriptedPeer peer = new(timeProvider: clock);
        Task<ReceivedDatagram> waiting = peer.ReceiveAsync();
        Assert.False(waiting.IsCompleted);
        clock.Advance(peer.HangLimit);
        ScriptExpectationException error = await Assert.ThrowsAsync<ScriptExpectationException>(() => waiting.WaitAsync(s_hang));
        error.Mentions("Nothing arrived");
    }

    [Fact]
    public async Task ReceiveAsync_of_a_UdpScriptedPeer_can_be_cancelled()
    {
        using UdpScriptedPeer peer = new();
        using CancellationTokenSource source = new();
        Task<ReceivedDatagram> waiting = peer.ReceiveAsync(source.Token);
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting.WaitAsync(s_hang));
    }

    [Fact]
    public void The_peer_refuses_to_bind_to_any_address()
    {
        Assert.Throws<ArgumentException>(() => new UdpScriptedPeer(IPAddress.Any));
        using UdpScriptedPeer peer = new();
        Assert.Throws<InvalidOperationException>(() => peer.Send("40 01 0001"));
    }
}
