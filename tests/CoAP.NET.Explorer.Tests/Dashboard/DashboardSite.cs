using System.Net.Http.Json;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>A web application on a free port of the loopback address that shows a server live.</summary>
internal sealed class DashboardSite : IAsyncDisposable
{
    public static readonly TimeSpan Hang = FromMinutes(2);

    private DashboardSite(WebApplication application) => Application = application;

    public WebApplication Application { get; }

    public HttpClient Http { get; } = new();

    public Uri Page => new(Http.BaseAddress!, "coap/live/");

    public static async Task<DashboardSite> StartAsync(CoapEndpoint? endpoint, Action<CoapDashboardOptions>? configure = null,
        TimeProvider? time = null, Action<IServiceCollection>? services = null, Action<WebApplication>? map = null)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(["--hostBuilder:reloadConfigOnChange=false"]);
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        if (time is not null)
        {
            builder.Services.AddSingleton(time);
        }

        services?.Invoke(builder.Services);
        WebApplication application = builder.Build();
        (map ?? Map)(application);
        await application.StartAsync().WaitAsync(Hang);
        DashboardSite site = new(application);
        site.Http.BaseAddress = new Uri(application.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!
            .Addresses.First());
        return site;

        void Map(WebApplication web) => web.MapCoapDashboard("/coap/live", options =>
        {
            options.Endpoint = endpoint;
            options.AllowAnonymous = true;
            configure?.Invoke(options);
        });
    }

    /// <summary>Asks as the page does.</summary>
    public async Task<HttpResponseMessage> PostAsync(string call, object body, Action<HttpRequestMessage>? change = null)
    {
        using HttpRequestMessage request = new(HttpMethod.Post, new Uri(Page, "api/" + call)) { Content = JsonContent.Create(body) };
        request.Headers.Add("X-CoAP-Explorer", "1");
        change?.Invoke(request);
        return await Http.SendAsync(request, HttpCompletionOption.ResponseHeadersRead).WaitAsync(Hang);
    }

    public static async Task<JsonElement> ReadAsync(StreamReader lines) =>
        JsonDocument.Parse((await lines.ReadLineAsync().WaitAsync(Hang))!).RootElement;

    public async ValueTask DisposeAsync()
    {
        Http.Dispose();
        await Application.StopAsync();
        await Application.DisposeAsync();
    }
}
