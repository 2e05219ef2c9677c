namespace CoAP.NET.Interop.Tests;

/// <summary>CoapClient against libcoap's server as a process.</summary>
[External(LibcoapServer.Program)]
public sealed class OurClientTests : IAsyncLifetime
{
    private readonly CoapClient _client = new();
    private LibcoapServer _server = null!;

    public async ValueTask InitializeAsync() => _server = await LibcoapServer.StartAsync("-d", "100");

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        await _server.DisposeAsync();
    }

    [Fact]
    public async Task A_client_gets_the_root_and_the_time()
    {
        CoapResponse root = await Get("/");
        Assert.Equal(CoapCode.Content, root.Code);
        Assert.Contains("libcoap", root.GetText(), StringComparison.OrdinalIgnoreCase);
        Assert.Equal(CoapCode.Content, (await Get("/time")).Code);
    }

    [Fact]
    public async Task Non_confirmable_requests_are_answered()
    {
        CoapResponse response =
            await Within(_client.SendAsync(new CoapRequest(CoapMethod.Get, _server.Uri("/time")) { Confirmable = false }));
        Assert.Equal(CoapCode.Content, response.Code);
    }

    [Fact]
    public async Task A_client_gets_the_representation_that_was_put()
    {
        CoapResponse put = await Within(_client.PutAsync(_server.Uri("/example_data"), CoapContent.Text("forty two")));
        Assert.True(put.IsSuccess, put.ToString());
        Assert.Equal("forty two", (await Get("/example_data")).GetText());
    }

    [Fact]
    public async Task A_new_resource_is_created_and_deleted()
    {
        Assert.Equal(CoapCode.Created, (await Within(_client.PutAsync(_server.Uri("/ours"), CoapContent.Text("x")))).Code);
        Assert.Equal("x", (await Get("/ours")).GetText());
        Assert.Equal(CoapCode.Deleted, (await Within(_client.DeleteAsync(_server.Uri("/ours")))).Code);
        Assert.Equal(CoapCode.NotFound, (await Get("/ours")).Code);
    }

    [Fact]
    public async Task A_separate_response_completes_the_request()
    {
        CoapRequest request = new(CoapMethod.Get, _server.Uri("/async"));
        request.Options.Add(new UriQueryOption("2"));
        CoapResponse response = await Within(_client.SendAsync(request));
        Assert.Equal(CoapCode.Content, response.Code);
    }

    [Fact]
    public async Task The_resources_of_the_libcoap_server_are_discovered()
    {
        IReadOnlyList<CoapLink> links = await Within(_client.DiscoverAsync(_server.Uri("")));
        Assert.Contains(links, link => link.Target == "/time");
        Assert.Contains(await Within(_client.DiscoverAsync(_server.Uri(""), "rt=ticks")), link => link.Target == "/time");
    }

    [Fact]
    public async Task A_ping_is_answered() => Assert.True(await Within(_client.PingAsync(_server.Uri(""))) >= TimeSpan.Zero);

    [Fact]
    public async Task Two_hundred_concurrent_requests_are_all_answered()
    {
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 200).Select(_ => Get("/"))];
        Assert.All(await Within(Task.WhenAll(requests)), response => Assert.Equal(CoapCode.Content, response.Code));
    }

    private Task<CoapResponse> Get(string path) => Within(_client.GetAsync(_server.Uri(path)));
}
