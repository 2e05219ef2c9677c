namespace CoAP.NET.Interop.Tests;

/// <summary>node-coap in both roles: our client against a server made with it, and its client against samples/Server.</summary>
[External(NodePeers.Program)]
public sealed class NodeTests(SampleServerFixture ours, NodeServerFixture node)
    : IClassFixture<SampleServerFixture>, IClassFixture<NodeServerFixture>, IAsyncDisposable
{
    private readonly CoapClient _client = new();

    private string Ours => ours.Host;

    private string Node => node.Host;

    public async ValueTask DisposeAsync() => await _client.DisposeAsync();

    [Fact]
    public async Task The_node_coap_client_gets_a_resource_by_Confirmable_and_Non_confirmable_requests()
    {
        PeerResult confirmable = await NodePeers.RunClientAsync("get", $"{Ours}/hello");
        Assert.Equal("hello world!", confirmable.Output);
        confirmable.Errors.Mentions("2.05");
        Assert.Equal("hello world!", (await NodePeers.RunClientAsync("get", "-c", $"{Ours}/hello")).Output);
    }

    [Fact]
    public async Task The_node_coap_client_puts_and_deletes_a_resource()
    {
        (await NodePeers.RunClientAsync("put", "-p", "on", $"{Ours}/create1")).Errors.Mentions("2.01");
        Assert.Equal("on", (await NodePeers.RunClientAsync("get", $"{Ours}/create1")).Output);
        (await NodePeers.RunClientAsync("delete", $"{Ours}/create1")).Errors.Mentions("2.02");
    }

    [Fact]
    public async Task The_node_coap_client_validates_a_representation_by_its_ETag()
    {
        CoapResponse response = await Within(_client.GetAsync($"{Ours}/validate"));
        Assert.True(response.Options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> tag));
        string etag = Convert.ToHexString(tag);
        Assert.Contains("2.03", (await NodePeers.TransferAsync(null, "GET", $"{Ours}/validate", "--etag", etag)).Result.Output,
            Ordinal);
        Assert.Contains("2.05",
            (await NodePeers.TransferAsync(null, "GET", $"{Ours}/validate", "--etag", "01020304050607ff")).Result.Output,
            Ordinal);
    }

    [Fact]
    public async Task Our_client_gets_puts_and_deletes_node_coap_resources()
    {
        Assert.Equal("hello from node", (await Within(_client.GetAsync($"{Node}/hello"))).GetText());
        Assert.Equal(CoapCode.Created, (await Within(_client.PutAsync($"{Node}/new", CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Within(_client.GetAsync($"{Node}/new"))).GetText());
        Assert.Equal(CoapCode.Deleted, (await Within(_client.DeleteAsync($"{Node}/new"))).Code);
        Assert.Equal(CoapCode.NotFound, (await Within(_client.GetAsync($"{Node}/new"))).Code);
    }

    [Fact]
    public async Task Our_client_uses_the_methods_of_RFC_8132_with_node_coap()
    {
        Assert.Equal("FETCH q", (await Within(_client.FetchAsync($"{Node}/any", CoapContent.Text("q")))).GetText());
        Assert.Equal("PATCH q", (await Within(_client.PatchAsync($"{Node}/any", CoapContent.Text("q")))).GetText());
        Assert.Equal("iPATCH q", (await Within(_client.IPatchAsync($"{Node}/any", CoapContent.Text("q")))).GetText());
    }

    [Fact]
    public async Task Our_client_sends_Non_confirmable_requests_to_node_coap()
    {
        CoapResponse response = await Within(_client.SendAsync(new CoapRequest(CoapMethod.Get, $"{Node}/hello") { Confirmable = false }));
        Assert.Equal("hello from node", response.GetText());
    }
}
