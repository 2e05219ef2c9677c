namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Strangers by the thousand, each from an address of its own.</summary>
[Collection(MeasuredAlone.Name)]
public sealed class HelloFloodTests(ITestOutputHelper output)
{
    private const int Slack = 512 * 1024;

    [Fact]
    [Rfc("6347-4.2.1-1")]
    public async Task A_client_that_returns_no_cookie_uses_no_memory()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        byte[] hello = Hello();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello").Says("hello");
        await FloodAsync(secure.Endpoint, hello, 0, 200);
        (long managed, long native) = Memory();

        await FloodAsync(secure.Endpoint, hello, 200, Campaign.Hellos);

        (long managedAfter, long nativeAfter) = Memory();
        output.WriteLine(
            $"{Campaign.Hellos:N0} addresses: {managedAfter - managed:N0} bytes managed, {nativeAfter - native:N0} bytes of private memory "
                + "more");
        Assert.InRange(managedAfter - managed, long.MinValue, Slack + Campaign.Hellos);
        Assert.Equal((1, 0), (secure.Transport.Engine!.Server!.SessionCount, secure.Transport.Engine.Server.HandshakeCount));
        Assert.Single(secure.Server.Endpoint.ConnectedPeers);
        await client.GetAsync($"{secure.Host}/hello").Says("hello");
    }

    // Each is answered by a request to return a cookie, which is shorter than what it said.
    private static async Task FloodAsync(IPEndPoint server, byte[] hello, int first, int count)
    {
        byte[] buffer = new byte[1_024];
        using CancellationTokenSource guard = new(FromMinutes(3));
        for (int i = first; i < first + count; i++)
        {
            using Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            socket.Bind(new IPEndPoint(new IPAddress([127, (byte)(1 + (i >> 16)), (byte)(i >> 8), (byte)i]), 0));
            await socket.SendToAsync(hello, server, guard.Token);
            SocketReceiveFromResult answer = await socket.ReceiveFromAsync(buffer, server, guard.Token);
            Assert.Equal(CookieIssuer.RequestLength, answer.ReceivedBytes);
            Assert.True(answer.ReceivedBytes < hello.Length);
        }
    }

    private static byte[] Hello()
    {
        SharedHandshakeContext context = new(new HandshakeSettings { IsServer = false, Suites = CipherSuite.All, OwnCidLength = 0 });
        using ClientHandshake handshake = new(context, [], SecureEndpoints.Identity, SecureEndpoints.Key);
        handshake.Start(null);
        return handshake.TakeOutput()[0];
    }

    private static (long Managed, long Native) Memory()
    {
        using Process process = Process.GetCurrentProcess();
        return (Heap.LiveBytes(), process.PrivateMemorySize64);
    }
}
