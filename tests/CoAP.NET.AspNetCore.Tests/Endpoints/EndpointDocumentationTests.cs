using System.Net.Http.Json;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>The snippets of docs/aspnetcore.md, so that they compile and do what the page says.</summary>
public sealed class EndpointDocumentationTests : EndpointTest
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() =>
        Snippets.AllStandInTests("aspnetcore.md", "Endpoints", 5, "CoAP.NET.AspNetCore.Tests");

    [Fact]
    public async Task An_endpoint_is_served_over_HTTP_and_CoAP()
    {
        string[] args =
        [
            "--Coap:Server:Endpoints=coap://127.0.0.1:0", "--urls=http://127.0.0.1:0", "--hostBuilder:reloadConfigOnChange=false",
        ];
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Services.AddSingleton<Lights>();
        builder.Services.AddCoapServer();

        WebApplication app = builder.Build();
        app.MapGet("/lights/{id:int}", (int id, Lights lights) => lights.Get(id))
            .WithCoap(route => route.Observable());
        app.MapPut("/lights/{id:int}", (int id, Light light, Lights lights, CoapServer server) =>
        {
            lights.Set(id, light);
            server.Notify($"/lights/{id}");
        }).WithCoap();
        app.MapCoap();
        await app.StartAsync();
        await using CoapClient device = new();
        using HttpClient browser = new();
        string light = $"{app.Services.GetRequiredService<CoapServer>().LocalEndpoints[0]}lights/1";

        await using CoapObservation observation = await device.ObserveAsync(light).WaitAsync(Hang);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));
        using HttpResponseMessage put = await browser.PutAsJsonAsync(new Uri(new Uri(app.Urls.Single()), "/lights/1"), new Light(true))
            .WaitAsync(Hang);
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));

        states.Current.Says("""{"isOn":true}""");
        await app.DisposeAsync();
    }

    [Fact]
    public async Task Groups_and_the_whole_application_are_served()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddCoapServer(Listen("coaps"));
        await using WebApplication app = builder.Build();

        RouteGroupBuilder api = app.MapGroup("/api").WithCoap(route => route.WithMaxBodySize(64 * 1024));
        api.MapGet("/state", () => "on");
        api.MapGet("/report", () => "for people").WithoutCoap();

        app.MapCoap(coap => coap.AllEndpoints = true).RequireTransportSecurity();
        app.Urls.Add("http://127.0.0.1:0");
        await app.StartAsync();
        CoapClient client = CreateClient("coaps", CoapTestIdentity.None);

        await AskAsync(CoapMethod.Get, "/api/state", client: client, scheme: "coaps").Says("on");
        await AskAsync(CoapMethod.Get, "/api/report", client: client, scheme: "coaps").Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task A_client_that_the_policy_admits_is_served_through_the_rate_limiter()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddCoapServer(Listen("coaps"));
        builder.Services.AddRateLimiter(_ => { });
        builder.Services.AddAuthorizationBuilder()
            .AddPolicy("sensors", policy => policy.RequireClaim(ClaimTypes.AuthenticationMethod, CoapPeerId.PskMethod));
        await using WebApplication app = builder.Build();
        app.Urls.Add("http://127.0.0.1:0");

        app.MapPost("/readings", (Reading reading, ClaimsPrincipal user) =>
                Results.Accepted(value: $"{user.Identity!.Name}: {reading.Celsius}"))
            .RequireAuthorization("sensors").WithCoap();

        app.MapCoap(coap => coap.Pipeline = pipeline => pipeline.UseRateLimiter());
        await app.StartAsync();
        CoapClient sensor = CreateClient("coaps", CoapTestIdentity.Psk("sensor-7"));

        CoapResponse response = await AskAsync(
            CoapMethod.Post, "/readings", CoapContent.Text("""{"celsius":21}""", CoapContentFormat.Json), client: sensor, scheme: "coaps");

        Assert.Equal((CoapCode.Changed, "\"sensor-7: 21\""), (response.Code, response.GetText()));
    }

    internal sealed record Light(bool IsOn);

    internal sealed record Reading(double Celsius);

    internal sealed class Lights
    {
        private readonly ConcurrentDictionary<int, Light> _lights = [];

        public Light Get(int id) => _lights.GetValueOrDefault(id) ?? new Light(false);

        public void Set(int id, Light light) => _lights[id] = light;
    }
}
