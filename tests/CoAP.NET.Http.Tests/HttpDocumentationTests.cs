using System.Net.Http.Json;

namespace CoAP.NET.Http.Tests;

/// <summary>The snippets of docs/http.md, so that they compile and do what the page says.</summary>
public sealed class HttpDocumentationTests : Origin
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() => Snippets.AllStandInTests("http.md", ".", 6, "CoAP.NET.Http.Tests");

    [Fact]
    public async Task A_client_is_created_with_the_CoAP_handler()
    {
        await Server.StartAsync();
        string address = Address;

        await using CoapClient coap = new();
        using HttpClient http = new(new CoapHttpMessageHandler(coap)) { BaseAddress = new Uri(address) };
        string temperature = await http.GetStringAsync("/text");

        Assert.Equal("hello", temperature);
    }

    [Fact]
    public async Task An_HTTP_client_factory_creates_typed_clients()
    {
        await Server.StartAsync();
        string address = Address;
        ServiceCollection services = new();

        services.AddSingleton<CoapClient>();
        services.AddHttpClient<LampClient>(client => client.BaseAddress = new Uri(address))
            .ConfigurePrimaryHttpMessageHandler(provider => new CoapHttpMessageHandler(provider.GetRequiredService<CoapClient>()));

        await using ServiceProvider provider = services.BuildServiceProvider();
        await provider.GetRequiredService<LampClient>().SwitchAsync(true, CancellationToken.None);
        Assert.Equal(CoapContentFormat.Json, LastOptions().ContentFormat);
    }

    [Fact]
    public async Task The_mapping_tables_can_be_changed()
    {
        await using CoapClient coap = new();

        CoapHttpMessageHandler handler = new(coap);
        handler.Translator.AddMediaType((CoapContentFormat)65001, "application/vnd.example+cbor");
        handler.Translator.AllowLooseMediaTypes = true;
        handler.Translator.Methods["QUERY"] = CoapMethod.Fetch;
        handler.Translator.Statuses[CoapCode.Unauthorized] = HttpStatusCode.Unauthorized;

        Assert.Equal("QUERY", handler.Translator.Methods.Keys.Last());
    }

    [Fact]
    public async Task Requests_use_CoAP_options_that_HTTP_does_not_have()
    {
        await Server.StartAsync();
        HttpClient http = Client;
        string address = Address + "/text";

        using HttpRequestMessage request = new(HttpMethod.Get, address);
        request.Options.Set(CoapHttpRequestOptions.Confirmable, false);
        request.Options.Set(CoapHttpRequestOptions.BlockSize, 256);
        using HttpResponseMessage response = await http.SendAsync(request);
        CoapCode? code = response.GetCoapResponse()?.Code;

        Assert.Equal(CoapCode.Content, code);
    }

    [Fact]
    public async Task Failures_are_distinguished_by_their_exceptions()
    {
        HttpClient http = Client;
        Uri uri = new("coap://nobody.invalid/");
        string told = string.Empty;

        try
        {
            using HttpResponseMessage response = await http.GetAsync(uri);
        }
        catch (HttpRequestException exception) when (exception.InnerException is CoapException coapException)
        {
            told = $"{exception.HttpRequestError}: {coapException.Message}";
        }

        told.Begins("NameResolutionError: ");
    }

    [Fact]
    public async Task A_back_end_is_mapped()
    {
        CoapServer server = Server;
        ServiceCollection services = new();
        services.AddHttpClient();
        await using ServiceProvider provider = services.BuildServiceProvider();
        IHttpClientFactory factory = provider.GetRequiredService<IHttpClientFactory>();
        Identities identities = new();
        byte[] key = new byte[32];

        await using CoapProxy proxy = new();
        proxy.UseHttp(http =>
        {
            http.Client = () => factory.CreateClient("backend");
            http.Identity = request => identities.Find(request.Peer);
            http.IdentityKey = key;
        });
        server.MapHttpBackend("/telemetry/{*path}", "https://api.example.com/devices", proxy).RequireTransportSecurity();

        server.MapHttpBackend("/readings/{*path}", "https://api.example.com/readings", proxy, http => http.Translator.ConvertsJson = true);

        Assert.True(proxy.Targets.MayAllow(new Uri("https://api.example.com/")) is false);
    }

    private sealed class Identities
    {
        public string? Find(CoapPeer peer) => peer.Identity?.Certificate?.Subject;
    }

    private sealed class LampClient(HttpClient http)
    {
        public async Task SwitchAsync(bool on, CancellationToken cancellationToken) =>
            (await http.PutAsJsonAsync("/seen", new { on }, cancellationToken)).EnsureSuccessStatusCode();
    }
}
