namespace CoAP.NET.Interop.Tests;

/// <summary>libcoap's client against samples/Server, both as processes.</summary>
[External(LibcoapClient.Program)]
public sealed class OurServerTests(SampleServerFixture server) : IClassFixture<SampleServerFixture>
{
    private string Host => server.Host;

    [Fact]
    public async Task A_client_gets_a_resource_by_Confirmable_and_Non_confirmable_requests()
    {
        Assert.Equal("hello world!", (await LibcoapClient.RunAsync("-m", "get", $"{Host}/hello")).Output);
        Assert.Equal("hello world!", (await LibcoapClient.RunAsync("-N", "-m", "get", $"{Host}/hello")).Output);
    }

    [Fact]
    public async Task Resources_are_discovered_and_filtered()
    {
        string all = (await LibcoapClient.RunAsync("-m", "get", $"{Host}/.well-known/core")).Output;
        all.Mentions("</hello>");
        all.Mentions("</link1>;");
        all.Mentions("</link2>");
        string filtered = (await LibcoapClient.RunAsync("-m", "get", $"{Host}/.well-known/core?rt=Type1")).Output;
        filtered.Mentions("</link1>");
        filtered.Mentions("</link3>");
        filtered.Omits("</link2>");
    }

    [Fact]
    public async Task A_resource_that_was_put_can_be_read_and_deleted()
    {
        PeerResult put = await LibcoapClient.RunAsync("-m", "put", "-t", "0", "-e", "on", $"{Host}/create1");
        Assert.Equal("", put.Errors);
        Assert.Equal("on", (await LibcoapClient.RunAsync("-m", "get", $"{Host}/create1")).Output);
        await LibcoapClient.RunAsync("-m", "delete", $"{Host}/create1");
        (await LibcoapClient.RunAsync("-m", "get", $"{Host}/create1")).Errors.Mentions("4.04");
    }

    [Theory]
    [InlineData("get", "/test", "This is a test resource.")]
    [InlineData("get", "/seg1/seg2/seg3", "Long path resource /seg1/seg2/seg3")]
    [InlineData("get", "/query?first=1&second=2", "Query: first=1&second=2")]
    public async Task The_server_receives_paths_and_queries(string method, string path, string expected) =>
        Assert.Equal(expected, (await LibcoapClient.RunAsync("-m", method, $"{Host}{path}")).Output);

    [Fact]
    public async Task A_slow_resource_sends_a_separate_response()
    {
        PeerResult result = await LibcoapClient.RunAsync("-m", "get", $"{Host}/separate");
        Assert.Equal("That took some time.", result.Output);
    }

    [Fact]
    public async Task Errors_are_answered_with_their_code()
    {
        (await LibcoapClient.RunAsync("-m", "get", $"{Host}/nowhere")).Errors.Mentions("4.04");
        (await LibcoapClient.RunAsync("-m", "post", "-e", "x", $"{Host}/hello")).Errors.Mentions("4.05");
        Assert.Contains("4.06", (await LibcoapClient.RunAsync("-A", "47", "-m", "get", $"{Host}/multi-format")).Errors,
            Ordinal);
    }

    [Fact]
    public async Task Requests_survive_loss_on_both_sides()
    {
        PeerResult result = await LibcoapClient.RunAsync("-l", "1-2", "-m", "get", $"{Host}/hello");
        Assert.Equal("hello world!", result.Output);
    }
}
