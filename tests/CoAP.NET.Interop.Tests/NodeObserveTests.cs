namespace CoAP.NET.Interop.Tests;

/// <summary>node-coap observes and is observed.</summary>
[External(NodePeers.Program)]
public sealed class NodeObserveTests(SampleServerFixture ours, NodeServerFixture node)
    : IClassFixture<SampleServerFixture>, IClassFixture<NodeServerFixture>
{
    [Fact]
    public async Task The_node_coap_command_line_observes_a_resource()
    {
        // It does not end by itself.
        await using PeerProcess client = NodePeers.StartClient("get", "-q", "-o", $"{ours.Host}/obs-load-non");
        await client.WaitForLineAsync(line => line == "twelve bytes");
        await ChangeAsync("/obs-load-non", "changed once");
        await client.WaitForLineAsync(line => line == "changed once");
    }

    [Fact]
    public async Task The_node_coap_client_observes_a_resource_and_cancels()
    {
        await using PeerProcess client = NodePeers.Observe($"{ours.Host}/obs-load", 3);
        await client.WaitForLineAsync(line => line == "twelve bytes");
        await ChangeAsync("/obs-load", "one");
        await client.WaitForLineAsync(line => line == "one");
        await ChangeAsync("/obs-load", "two");
        await client.WaitForLineAsync(line => line == "two");
        PeerResult result = await client.WaitForExitAsync();
        Assert.Equal("twelve bytes\none\ntwo", result.Output);
        Assert.Equal((0, ""), (result.ExitCode, result.Errors));
    }

    [Fact]
    public async Task Our_client_observes_a_node_coap_resource_and_cancels()
    {
        await using CoapClient client = new();
        CoapObservation observation = await Within(client.ObserveAsync($"{node.Host}/clock"));
        Assert.Equal(CoapObserveState.Observing, observation.State);
        await using IAsyncEnumerator<CoapResponse> notifications = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await Within(notifications.MoveNextAsync().AsTask()));
        string first = notifications.Current.GetText();
        for (int i = 1; i <= 3; i++)
        {
            string ticks = (await Within(client.GetAsync($"{node.Host}/tick"))).GetText();
            Assert.True(await Within(notifications.MoveNextAsync().AsTask()));
            Assert.Equal($"tick {ticks}", notifications.Current.GetText());
            Assert.NotEqual(first, notifications.Current.GetText());
        }

        await observation.DisposeAsync();
        Assert.False(await Within(notifications.MoveNextAsync().AsTask()));
    }

    private async Task ChangeAsync(string path, string text)
    {
        await using CoapClient client = new();
        Assert.Equal(CoapCode.Changed, (await Within(client.PutAsync($"{ours.Host}{path}", CoapContent.Text(text)))).Code);
    }
}
