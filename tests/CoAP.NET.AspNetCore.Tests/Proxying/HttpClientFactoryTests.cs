using CoAP.NET.Proxy;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>A proxy whose HTTP servers are asked by the clients of the application.</summary>
public sealed class HttpClientFactoryTests
{
    [Fact]
    public async Task An_HTTP_back_end_is_requested_with_the_configured_HTTP_client()
    {
        RecordingHandler told = new();
        ServiceCollection services = new();
        services.AddHttpClient("backend").ConfigurePrimaryHttpMessageHandler(() => told);
        await using ServiceProvider provider = services.BuildServiceProvider();
        await using CoapProxy proxy = new();
        await using CoapServer server = new();
        await using CoapClient client = new();
        server.Listen("coap://127.0.0.1:0");

        IHttpClientFactory factory = provider.GetRequiredService<IHttpClientFactory>();
        proxy.UseHttp(http =>
        {
            http.Client = () => factory.CreateClient("backend");
            http.Translator.ConvertsJson = true;
        });
        server.MapHttpBackend("/telemetry/{*path}", "http://api.example.com/devices", proxy);
        await server.StartAsync();

        CoapResponse response = await client.GetAsync(server.LocalEndpoints[0] + "telemetry/7");
        response.Says("told");
        Assert.Equal("http://api.example.com/devices/7", told.Uri);
    }

    private sealed class RecordingHandler : HttpMessageHandler
    {
        public string? Uri { get; private set; }

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Uri = request.RequestUri!.AbsoluteUri;
            return Task.FromResult(new HttpResponseMessage { Content = new StringContent("told") });
        }
    }
}
