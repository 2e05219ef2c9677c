using System.Buffers.Binary;
using CoAP.NET.Testing;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client against bytes: shows that the peer is there, runs, and says what it got.</summary>
[External(LibcoapClient.Program)]
public class LibcoapClientTests
{
    [Fact]
    public async Task The_libcoap_client_prints_a_piggybacked_response()
    {
        using UdpScriptedPeer peer = new() { HangLimit = PeerProcess.HangLimit };
        await using PeerProcess client = LibcoapClient.Start("-m", "get", $"coap://{peer.EndPoint}/temperature");

        // Uri-Port, since it is not the default one, and Uri-Path.
        ReceivedDatagram request = await peer.ExpectAsync("4? 01 <mid:2> <token:tkl> 72 <port:2> 4b 'temperature'");
        Assert.Equal(peer.EndPoint.Port, BinaryPrimitives.ReadUInt16BigEndian(request.Captures["port"]));
        peer.Piggyback(request, CoapCode.Content, "ff '22.3 C'");

        PeerResult result = await client.WaitForExitAsync();
        Assert.Equal("22.3 C", result.Output);
        Assert.Equal("", result.Errors);
    }

    [Fact]
    public async Task The_libcoap_client_acknowledges_a_separate_response()
    {
        using UdpScriptedPeer peer = new() { HangLimit = PeerProcess.HangLimit };
        await using PeerProcess client = LibcoapClient.Start("-m", "get", $"coap://{peer.EndPoint}/temperature");

        ReceivedDatagram request = await peer.ExpectAsync("4? 01 <mid:2> <token:tkl> ..");
        peer.Acknowledge(request);
        peer.Respond(request, CoapMessageType.Confirmable, 0xad7b, CoapCode.Content, "ff '22.3 C'");

        // It may have sent its request again before it was acknowledged.
        ReceivedDatagram answer = await peer.ReceiveAsync();
        while (answer.Hex == request.Hex)
        {
            answer = await peer.ReceiveAsync();
        }

        Assert.Equal("6000ad7b", answer.Hex);

        Assert.Equal("22.3 C", (await client.WaitForExitAsync()).Output);
    }

    [Fact]
    public async Task The_libcoap_client_retransmits_the_same_bytes_until_it_gets_a_response()
    {
        using UdpScriptedPeer peer = new() { HangLimit = PeerProcess.HangLimit };
        await using PeerProcess client = LibcoapClient.Start("-m", "get", $"coap://{peer.EndPoint}/x");

        ReceivedDatagram first = await peer.ExpectAsync("4? 01 <mid:2> <token:tkl> ..");
        ReceivedDatagram second = await peer.ReceiveAsync();
        Assert.Equal(first.Hex, second.Hex);
        peer.Piggyback(second, CoapCode.Content, "ff 'late'");

        Assert.Equal("late", (await client.WaitForExitAsync()).Output);
    }

    [Theory]
    [InlineData("put", "03")]
    [InlineData("post", "02")]
    public async Task The_libcoap_client_prints_error_codes(string method, string code)
    {
        using UdpScriptedPeer peer = new() { HangLimit = PeerProcess.HangLimit };
        await using PeerProcess client = LibcoapClient.Start("-m", method, "-e", "hi", $"coap://{peer.EndPoint}/x");

        ReceivedDatagram request = await peer.ExpectAsync($"4? {code} <mid:2> <token:tkl> ..");
        peer.Piggyback(request, CoapCode.NotFound);

        (await client.WaitForExitAsync()).Errors.Begins("4.04");
    }
}
