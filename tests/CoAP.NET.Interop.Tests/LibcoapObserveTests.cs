namespace CoAP.NET.Interop.Tests;

/// <summary>
/// libcoap's client observes resources of samples/Server that change by themselves. With verbosity 7 it writes each message; with <c>-w</c>
/// each body is a line of its own.
/// </summary>
[External(LibcoapClient.Program)]
public sealed class LibcoapObserveTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    // One period of the resources, and some time more.
    private const int Duration = 8;

    [Theory]
    [InlineData("/obs", "t:CON c:2.05")]
    [InlineData("/obs-non", "t:NON c:2.05")]
    public Task The_libcoap_client_gets_periodic_notifications(string path, string notification) =>
        LibcoapClient.ObserveForAsync(Duration, async seconds =>
    {
        await using PeerProcess client = PeerProcess.Start(LibcoapClient.Program,
            "-v", "7", "-B", LibcoapClient.Patience, "-w", "-s", seconds, "-m", "get", $"{server.Host}{path}");
        string first = await client.WaitForLineAsync(IsChange);
        string second = await client.WaitForLineAsync(line => IsChange(line) && line != first);
        Assert.NotEqual(first, second);
        PeerResult result = await client.WaitForExitAsync();
        result.Output.Mentions("observation relationship established");
        result.Output.Mentions(notification);
        result.Output.Mentions("Observe:1,");
    });

    // The first block comes by the notification, the others it asks for (RFC 7959 section 2.6).
    [Fact]
    public async Task A_notification_with_a_large_body_is_completed_blockwise()
    {
        await using PeerProcess client = PeerProcess.Start(LibcoapClient.Program,
            "-B", LibcoapClient.Patience, "-w", "-s", LibcoapClient.Patience, "-m", "get", $"{server.Host}/obs-large");
        string first = await client.WaitForLineAsync(IsChange);
        await client.WaitForLineAsync(line => IsChange(line) && line != first);
        await client.WaitForLinesAsync(line => line.StartsWith("line 000030", Ordinal), 2);
    }

    private static bool IsChange(string line) => line.StartsWith("change ", Ordinal);
}
