using System.Net;
using System.Net.Sockets;
using CoAP.NET.Tests.Transports.Tcp;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Streams.Engines;

/// <summary>With TLS over the platform's asynchronous sockets.</summary>
public sealed class TlsSuite : HoldingSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;

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
}

/// <summary>With TLS, alone in the process.</summary>
[Collection(AloneInTheProcess.Name)]
public sealed class TlsLeakSuite : LeakSuite
{
    protected override CoapTcpEngine Engine => CoapTcpEngine.Auto;

    protected override bool UsesTls => true;
}
