using System.Threading.RateLimiting;
using CoAP.NET.Hosting;
using CoAP.NET.Options;
using CoAP.NET.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>Routes of the web application on the CoAP server: who is meant, what is said of them, what bounds them.</summary>
public sealed class EndpointRouteTests : EndpointTest
{
    [Fact]
    public async Task The_endpoint_is_the_one_that_HTTP_would_find()
    {
        await StartAsync(static application =>
        {
            RouteGroupBuilder all = application.MapGroup(string.Empty).WithCoap();
            all.MapGet("/a/{id:int}", (int id) => $"number {id}");
            all.MapGet("/a/{word:alpha}", (string word) => $"word {word}");
            all.MapGet("/a/all", () => "all");
            all.MapPut("/a/{name}", (string name) => $"put {name}");
            all.MapGet("/b/{id:int}/c", (int id) => $"c of {id}");
            all.MapGet("/b/x/{last}", (string last) => $"{last} under b");
            all.MapGet("/{**rest}", (string? rest) => $"rest {rest}");
        });

        foreach ((string method, string path, string expected) in new[]
        {
            ("GET", "/a/1", "number 1"),
            ("GET", "/a/x", "word x"),
            ("GET", "/a/x1", "rest a/x1"),
            ("GET", "/a/all", "all"),
            ("PUT", "/a/all", "put all"),
            ("GET", "/b/1/c", "c of 1"),
            ("GET", "/b/x/c", "c under b"),
            ("GET", "/b/2/x", "rest b/2/x"),
            ("PUT", "/b/2/x", "4.05"),
            ("GET", "/", "rest "),
        })
        {
            using HttpRequestMessage request = new(new HttpMethod(method), path);
            using HttpResponseMessage http = await Http.SendAsync(request).WaitAsync(Hang);
            CoapResponse coap = await AskAsync(Enum.Parse<CoapMethod>(method, ignoreCase: true), path);

            Assert.Equal(expected, coap.IsSuccess ? coap.GetText() : coap.Code.ToString()[..4]);
            Assert.Equal(coap.IsSuccess ? expected : string.Empty, await http.Content.ReadAsStringAsync().WaitAsync(Hang));
        }
    }

    [Fact]
    public async Task A_filter_may_put_a_request_of_its_own_before_the_endpoint()
    {
        await StartAsync(static application => application.MapGet("/a/{id:int}", static (int id) => $"number {id}").WithCoap(
            static route => route.AddFilter(static (request, next, cancellationToken) =>
            {
                CoapRequest own = new(CoapMethod.Get, $"coap://{Host}/a/2") { Services = request.Services };
                own.Options.Add(new UriPath("a"));
                own.Options.Add(new UriPath("2"));
                return next(own, cancellationToken);
            })));

        CoapResponse response = await GetAsync("/a/1");

        Assert.Equal((CoapCode.Content, "number 2"), (response.Code, response.GetText()));
    }

    [Fact]
    public async Task An_endpoint_that_does_not_say_WithCoap_is_served_over_HTTP_only()
    {
        await StartAsync(application =>
        {
            application.MapGet("/both", () => "both").WithCoap();
            application.MapGet("/http", () => "http");
            RouteGroupBuilder group = application.MapGroup("/group").WithCoap();
            group.MapGet("/in", () => "in");
            group.MapGet("/out", () => "out").WithoutCoap();
        });

        Assert.Equal("both", (await GetAsync("/both")).GetText());
        Assert.Equal("in", (await GetAsync("/group/in")).GetText());
        Assert.Equal(CoapCode.NotFound, (await GetAsync("/http")).Code);
        Assert.Equal(CoapCode.NotFound, (await GetAsync("/group/out")).Code);
        Assert.Equal("http", await Http.GetStringAsync(new Uri("/http", UriKind.Relative)).WaitAsync(Hang));
    }

    [Fact]
    public async Task All_endpoints_are_served_where_that_is_said_but_those_of_this_package_for_HTTP()
    {
        await StartAsync(
            application =>
            {
                application.MapGet("/one", () => "one");
                application.MapGet("/none", () => "none").WithoutCoap();
                application.MapCoapWebSocket();
                application.MapCoapProxyDiscovery();
            },
            configure: options => options.AllEndpoints = true);

        Assert.Equal("one", (await GetAsync("/one")).GetText());
        Assert.Equal(CoapCode.NotFound, (await GetAsync("/none")).Code);
        Assert.Contains("</one>", (await GetAsync("/.well-known/core")).GetText(), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Endpoints_that_are_one_route_in_CoAP_have_one_setting()
    {
        string refusal = await RefusalOfAsync(static application =>
        {
            application.MapGet("/a/{id:int}", (int id) => "number").WithCoap(static route => route.RequireTransportSecurity());
            application.MapGet("/a/{word:alpha}", (string word) => "word").WithCoap();
        });

        Assert.Contains("They share the CoAP route", refusal, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Endpoints_of_the_same_path_are_told_apart_by_the_type_of_the_body()
    {
        await StartAsync(static application =>
        {
            application.MapPost("/a", () => "text").WithCoap().Accepts<string>("text/plain");
            application.MapPost("/a", () => "json").WithCoap().Accepts<string>("application/json");
        });

        Assert.Equal("text", (await AskAsync(CoapMethod.Post, "/a", CoapContent.Text("x"))).GetText());
        Assert.Equal("json", (await AskAsync(CoapMethod.Post, "/a", CoapContent.Text("1", CoapContentFormat.Json))).GetText());
        Assert.Equal(CoapCode.UnsupportedContentFormat, (await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[1]))).Code);
    }

    [Fact]
    public async Task Endpoints_are_listed_with_what_their_metadata_say()
    {
        await StartAsync(static application =>
        {
            application.MapGet("/light", () => new Light(true)).WithCoap(static route => route.WithResourceType("light").Observable())
                .WithSummary("The light of the hall");
            application.MapGet("/hidden", () => "hidden").WithCoap().ExcludeFromDescription();
            application.MapGet("/lights/{id}", (int id) => "one of many").WithCoap();
        });

        Assert.Equal("</light>;title=\"The light of the hall\";ct=\"50 60\";rt=\"light\";obs",
            (await GetAsync("/.well-known/core")).GetText());
    }

    [Fact]
    public async Task A_resource_is_observed_and_a_change_over_HTTP_is_told()
    {
        await StartAsync(static application =>
        {
            bool isOn = false;
            application.MapGet("/light", () => isOn).WithCoap(static route => route.Observable());
            application.MapPut("/light", (bool on, CoapServer server) =>
            {
                isOn = on;
                server.Notify("/light");
            });
        });
        await using CoapObservation observation = await Coap.ObserveAsync($"coap://{Host}:5683/light").WaitAsync(Hang);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));
        Assert.Equal("false", states.Current.GetText());

        // What is said of observers, not that the handler says nothing of its age.
        Assert.Equal(TimeSpan.FromMinutes(10), states.Current.MaxAge);

        using HttpResponseMessage http = await Http.PutAsync(new Uri("/light?on=true", UriKind.Relative), null).WaitAsync(Hang);

        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));
        Assert.Equal("true", states.Current.GetText());
        Assert.Equal(TimeSpan.FromMinutes(10), states.Current.MaxAge);
    }

    [Fact]
    public async Task A_response_that_is_too_large_or_never_ends_is_stopped()
    {
        await StartAsync(
            static application =>
            {
                RouteGroupBuilder all = application.MapGroup(string.Empty).WithCoap();
                all.MapGet("/fits", () => new string('x', 1000));
                all.MapGet("/large", () => new string('x', 1001));
                all.MapGet("/endless", async (HttpContext context) =>
                {
                    while (true)
                    {
                        await context.Response.WriteAsync("more");
                        await context.Response.Body.FlushAsync();
                    }
                });
                all.MapGet("/events", async (HttpContext context) =>
                {
                    context.Response.ContentType = "text/event-stream";
                    await context.Response.Body.FlushAsync();
                    await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, context.RequestAborted);
                });
            },
            configure: static options => options.MaxResponseSize = 1000);

        Assert.Equal(1000, (await GetAsync("/fits")).Payload.Length);
        Assert.Equal(CoapCode.InternalServerError, (await GetAsync("/large")).Code);
        Assert.Equal(CoapCode.InternalServerError, (await GetAsync("/endless")).Code);
        Assert.Equal(CoapCode.NotImplemented, (await GetAsync("/events")).Code);
    }

    [Fact]
    public async Task A_handler_is_cancelled_when_its_time_is_over()
    {
        await StartAsync(
            static application => application.MapGet("/slow", async (CancellationToken cancellationToken) =>
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)).WithCoap(),
            configure: static options => options.Timeout = TimeSpan.FromMilliseconds(1));

        Assert.Equal(CoapCode.ServiceUnavailable, (await GetAsync("/slow")).Code);
    }

    [Fact]
    public async Task The_time_that_an_endpoint_has_goes_before_that_of_all()
    {
        await StartAsync(
            static application => application.MapGet("/slow", async (CancellationToken cancellationToken) =>
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)).WithCoap()
                .WithRequestTimeout(TimeSpan.FromMilliseconds(1)),
            configure: static options => options.Timeout = Timeout.InfiniteTimeSpan);

        Assert.Equal(CoapCode.ServiceUnavailable, (await GetAsync("/slow")).Code);
    }

    [Fact]
    public async Task Middleware_of_the_application_does_not_run_but_that_of_the_pipeline_does()
    {
        await StartAsync(
            static application =>
            {
                application.Use((HttpContext _, RequestDelegate _) => throw new InvalidOperationException("for HTTP only"));
                application.MapGet("/a", () => "a").WithCoap().RequireRateLimiting("two");
            },
            static services => services.AddRateLimiter(static limiter =>
            {
                limiter.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
                limiter.AddPolicy("two", static context => RateLimitPartition.GetFixedWindowLimiter(string.Empty,
                    static _ => new FixedWindowRateLimiterOptions { PermitLimit = 2, Window = TimeSpan.FromDays(1) }));
            }),
            configure: static options => options.Pipeline = static pipeline => pipeline.UseRateLimiter());

        Assert.Equal("a", (await GetAsync("/a")).GetText());
        Assert.Equal("a", (await GetAsync("/a")).GetText());
        Assert.Equal(CoapCode.TooManyRequests, (await GetAsync("/a")).Code);
    }

    [Fact]
    public async Task The_size_limit_of_an_endpoint_holds_for_bodies_of_CoAP()
    {
        await StartAsync(static application => application.MapPost("/a", (Stream body) => "read")
            .WithMetadata(new Microsoft.AspNetCore.Mvc.RequestSizeLimitAttribute(1000)).WithCoap());

        Assert.Equal("read", (await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[1000]))).GetText());
        Assert.Equal(CoapCode.RequestEntityTooLarge, (await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[2000]))).Code);
    }

    [Fact]
    public async Task What_MapCoap_returns_says_what_holds_for_all_routes()
    {
        await StartAsync(static application =>
        {
            application.MapGet("/a", () => "a").WithCoap();
            application.MapCoap(static options => options.Server = "other")
                .AddFilter(static (_, _, _) => new ValueTask<CoapResult>(CoapResults.Text("filtered")));
        }, services => services.AddCoapServer("other", Listen("coap+tcp")));

        Assert.Equal("a", (await GetAsync("/a")).GetText());
        Assert.Equal("filtered",
            (await AskAsync(CoapMethod.Get, "/a", client: CreateClient("coap+tcp"), scheme: "coap+tcp")).GetText());
    }

    [Fact]
    public async Task An_application_whose_CoAP_server_starts_before_its_routes_are_known_is_served_too()
    {
        using IHost host = new HostBuilder()
            .ConfigureServices(services => services.AddCoapServer(Listen("coap")))
            .ConfigureWebHost(static web => web.UseTestServer()
                .ConfigureServices(static services => services.AddRouting())
                .Configure(static application =>
                {
                    application.UseRouting();
                    application.UseEndpoints(static endpoints =>
                    {
                        endpoints.MapGet("/a", () => "a").WithCoap();
                        endpoints.MapCoap();
                    });
                }))
            .Build();
        await host.StartAsync().WaitAsync(Hang);

        Assert.Equal("a", (await AskAsync(CoapMethod.Get, "/a", client: CreateClient())).GetText());
        await host.StopAsync();
    }

    internal sealed record Light(bool IsOn);
}
