using Grpc.AspNetCore.Server;
using Microsoft.AspNetCore.Components;
using Microsoft.AspNetCore.Components.Endpoints;
using Microsoft.AspNetCore.Mvc.ApplicationParts;
using Microsoft.AspNetCore.Mvc.RazorPages;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.StaticAssets;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>What cannot be served over CoAP keeps the application from starting, with the endpoint, the reason and what to do.</summary>
public sealed class EndpointRefusalTests : EndpointTest
{
    [Theory]
    [InlineData("hub", "/hub", "SignalR")]
    [InlineData("form", "POST /form", "reads a form")]
    [InlineData("file", "POST /file", "reads a form")]
    [InlineData("events", "GET /events", "server-sent events")]
    [InlineData("host", "GET /host", "only serves the hosts example.net")]
    [InlineData("options", "OPTIONS /options", "no counterpart of its methods: OPTIONS")]
    [InlineData("head", "HEAD /head", "no counterpart of its methods: HEAD")]
    [InlineData("fallback", "fallback", "It is a fallback")]
    [InlineData("limited", "GET /limited", "UseRateLimiter")]
    [InlineData("socket", "CoAP over WebSockets", "a WebSocket endpoint of the CoAP server itself")]
    [InlineData("proxy", "/hc", "a proxy for HTTP clients")]
    [InlineData("policy", "GET /policy", "'nobody-added-it'")]
    [InlineData("grpc", "POST /greeter", "gRPC needs HTTP/2")]
    [InlineData("asset", "GET /site.css", "a static file")]
    [InlineData("page", "GET /page", "renders a page for browsers")]
    [InlineData("component", "GET /component", "renders a page for browsers")]
    [InlineData("convention", "ByConvention", "conventional routing")]
    [InlineData("dots", "GET /a/../b", "'.' or '..'")]
    public async Task An_application_with_an_unsupported_endpoint_does_not_start(string what, string endpoint, string reason)
    {
        string refusal = await RefusalOfAsync(application => Map(application, what),
            services =>
            {
                services.AddSignalR();
                services.AddAuthorization();
                services.AddAntiforgery();
                services.AddControllers().ConfigureApplicationPartManager(parts =>
                    parts.ApplicationParts.Add(new AssemblyPart(typeof(EndpointRefusalTests).Assembly)));
            });

        Assert.Contains(endpoint, refusal, StringComparison.OrdinalIgnoreCase);
        refusal.Mentions(reason);
        refusal.Mentions("WithoutCoap()");
    }

    [Fact]
    public async Task All_unsupported_endpoints_are_reported_in_a_single_error()
    {
        string refusal = await RefusalOfAsync(application =>
        {
            Map(application, "host");
            Map(application, "options");
        });

        refusal.Mentions("/host");
        refusal.Mentions("/options");
    }

    [Fact]
    public async Task The_error_names_a_path_that_the_CoAP_server_maps_itself()
    {
        string refusal = await RefusalOfAsync(
            application => application.MapGet("/a", () => "a").WithCoap(),
            services => services.AddCoapServer().MapGet("/a", () => "b"));

        refusal.Mentions("GET /a cannot be mapped");
    }

    [Fact]
    public async Task The_error_for_a_group_says_what_to_call()
    {
        ArgumentException refusal = await Assert.ThrowsAsync<ArgumentException>(() =>
            StartAsync(application => application.MapGroup("/api").MapCoap()));

        refusal.Mentions("WithCoap on the group");
    }

    [Theory]
    [InlineData("", "builder.Services.AddCoapServer()")]
    [InlineData("devices", "builder.Services.AddCoapServer(\"devices\")")]
    public async Task The_error_for_an_application_without_a_CoAP_server_says_what_to_call(string name, string call)
    {
        await using WebApplication application = WebApplication.CreateSlimBuilder().Build();

        InvalidOperationException refusal = Assert.Throws<InvalidOperationException>(() =>
            application.MapCoap(options => options.Server = name));

        refusal.Mentions(call);
    }

    private static void Map(WebApplication application, string what)
    {
        RouteGroupBuilder all = application.MapGroup(string.Empty).WithCoap();
        _ = what switch
        {
            "hub" => all.MapHub<NoHub>("/hub"),
            "form" => all.MapPost("/form", ([Microsoft.AspNetCore.Mvc.FromForm] string name) => name),
            "file" => all.MapPost("/file", (IFormFile file) => file.Length).DisableAntiforgery(),
            "events" => all.MapGet("/events", () => TypedResults.ServerSentEvents(Forever())),
            "host" => all.MapGet("/host", () => "host").RequireHost("example.net"),
            "options" => all.MapMethods("/options", ["OPTIONS"], () => "options"),
            "head" => all.MapMethods("/head", ["HEAD"], () => "head"),
            "fallback" => (IEndpointConventionBuilder)all.MapFallback(() => "fallback"),
            "limited" => all.MapGet("/limited", () => "limited").RequireRateLimiting("few"),
            "socket" => all.MapCoapWebSocket(),
            "proxy" => all.MapCoapProxy("/hc/{**target}", proxy => proxy.AllowAnonymous = true),
            "grpc" => all.MapPost("/greeter", () => "hello").WithMetadata(new GrpcMethodMetadata()),
            "asset" => all.MapGet("/site.css", () => "p {}").WithMetadata(
                new StaticAssetDescriptor { AssetPath = "site.css", Route = "site.css" }),
            "page" => all.MapGet("/page", () => "<p>").WithMetadata(new PageActionDescriptor()),
            "component" => all.MapGet("/component", () => "<p>").WithMetadata(new ComponentTypeMetadata(typeof(IComponent))),
            "convention" => all.MapControllerRoute("default", "{controller}/{action}"),
            "dots" => all.MapGet("/a/../b", () => "dots"),
            "policy" => all.MapGet("/policy", () => "policy").RequireAuthorization("nobody-added-it"),
            _ => throw new ArgumentOutOfRangeException(nameof(what)),
        };
    }

    private static async IAsyncEnumerable<string> Forever()
    {
        await Task.CompletedTask;
        yield return "event";
    }

    internal sealed class NoHub : Hub;
}
