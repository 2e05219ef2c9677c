using CoAP.NET.Testing;

namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's server against bytes: shows that the peer is there, started, and answers.</summary>
public class LibcoapServerTests
{
    [Fact]
    [External(LibcoapServer.Program)]
    public async Task The_libcoap_server_rejects_a_ping_with_a_Reset()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        using UdpScriptedPeer peer = Towards(server);
        peer.Send("40 00 1234");
        await peer.ExpectAsync("70 00 1234");
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task The_libcoap_server_answers_a_request_for_its_root()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        using UdpScriptedPeer peer = Towards(server);
        peer.Send("42 01 7d34 2021");
        ReceivedDatagram answer = await peer.ExpectAsync("62 45 7d34 2021 <rest:*>");
        Encoding.UTF8.GetString(answer.Captures["rest"]).Mentions("libcoap");
    }

    [Fact]
    [External(LibcoapServer.Program, LibcoapClient.Program)]
    public async Task The_libcoap_client_reaches_the_libcoap_server()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync("-e");
        PeerResult result = await LibcoapClient.RunAsync("-m", "put", "-e", "hello", server.Uri("/example_data").ToString());
        Assert.Equal("hello", result.Output);
    }

    [Fact]
    [External(LibcoapServer.Program)]
    public async Task Two_libcoap_servers_run_concurrently()
    {
        await using LibcoapServer one = await LibcoapServer.StartAsync();
        await using LibcoapServer two = await LibcoapServer.StartAsync();
        Assert.NotEqual(one.EndPoint, two.EndPoint);
        using UdpScriptedPeer peer = Towards(one);
        peer.Send("40 00 0001");
        await peer.ExpectAsync("70 00 0001");
    }

    [Fact]
    public async Task Waiting_for_a_server_that_never_answers_ends()
    {
        using UdpScriptedPeer silent = new();
        Assert.False(await CoapPing.WaitAsync(silent.EndPoint, attempts: 3));
        Assert.False(await CoapPing.WaitAsync(new IPEndPoint(IPAddress.Loopback, LoopbackPort.FindFree()), attempts: 2));
        Assert.False(await CoapPing.WaitAsync(silent.EndPoint, isOver: () => true));
    }

    private static UdpScriptedPeer Towards(LibcoapServer server) => new() { Remote = CoapAddress.FromIPEndPoint(server.EndPoint) };
}
