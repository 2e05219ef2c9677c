namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's client observes resources of samples/Server that others change. With verbosity 7 it writes each message; with <c>-w</c> each
/// body is a line of its own.
/// </summary>
[External(LibcoapClient.Program)]
public sealed class LibcoapObserverTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    [Theory]
    [InlineData("/obs-load", "t:CON c:2.05")]
    [InlineData("/obs-load-non", "t:NON c:2.05")]
    public async Task Every_libcoap_observer_is_notified_of_a_change(string path, string notification)
    {
        await using PeerProcess one = Observe($"{server.Host}{path}");
        await using PeerProcess two = Observe($"{server.Host}{path}");
        await one.WaitForLineAsync(line => line == "twelve bytes");
        await two.WaitForLineAsync(line => line == "twelve bytes");
        Assert.Equal("",
            (await LibcoapClient.RunAsync("-m", "put", "-t", "0", "-e", "other bytes!", $"{server.Host}{path}")).Errors);
        await one.WaitForLineAsync(line => line == "other bytes!");
        await two.WaitForLineAsync(line => line == "other bytes!");
        one.Output.Mentions(notification);
    }

    [Fact]
    public async Task A_lost_notification_is_retransmitted()
    {
        // The answer to the registration arrives, the first notification does not.
        LossyPath toClients = new(loseEvery: 2, doubleEvery: 0);
        await using LossyRelay relay = new(server.EndPoint, new LossyPath(0, 0), toClients);
        await using PeerProcess client = Observe(relay.Uri("/obs-reset"));
        await client.WaitForLineAsync(line => line.StartsWith("change ", Ordinal));
        await LibcoapClient.RunAsync("-m", "put", "-t", "0", "-e", "put", $"{server.Host}/obs-reset");
        await client.WaitForLineAsync(line => line == "put");
        Assert.True(toClients.Lost > 0);
    }

    // RFC 8132 section 2: FETCH is observed as GET is; each observer hears of what it asked for.
    [Fact]
    public async Task The_result_of_a_FETCH_request_is_observed()
    {
        string uri = $"{server.Host}/document";
        await using PeerProcess one = Observe(uri, "-m", "fetch", "-t", "50", "-e", """["on"]""");
        await using PeerProcess two = Observe(uri, "-m", "fetch", "-t", "50", "-e", """["level"]""");
        await one.WaitForLineAsync(line => line == """{"on":false}""");
        await two.WaitForLineAsync(line => line == """{"level":7}""");
        await LibcoapClient.RunAsync("-m", "ipatch", "-t", "52", "-e", """{"on":true,"level":9}""", uri);
        await one.WaitForLineAsync(line => line == """{"on":true}""");
        await two.WaitForLineAsync(line => line == """{"level":9}""");
    }

    private static PeerProcess Observe(string uri, params string[] request) =>
        PeerProcess.Start(LibcoapClient.Program,
            ["-v", "7", "-B", LibcoapClient.Patience, "-w", "-s", LibcoapClient.Patience, .. request, uri]);
}
