using System.Threading.RateLimiting;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>Routes of the web application on the CoAP server: who is meant, what is said of them, what bounds them.</summary>
public sealed class EndpointRouteTests : EndpointTest
{
    [Fact]
    public async Task A_CoAP_request_is_routed_to_the_endpoint_that_HTTP_would_select()
    {
        await StartAsync(application =>
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
    public async Task A_filter_may_replace_the_request_before_the_endpoint()
    {
        await StartAsync(application => application.MapGet("/a/{id:int}", (int id) => $"number {id}").WithCoap(
            route => route.AddFilter((request, next, cancellationToken) =>
            {
                CoapMessage own = new(CoapMethod.Get);
                own.Options.Add(new UriPathOption("a"));
                own.Options.Add(new UriPathOption("2"));
                return next(request.WithMessage(own), cancellationToken);
            })));

        CoapResponse response = await GetAsync("/a/1");

        Assert.Equal((CoapCode.Content, "number 2"), (response.Code, response.GetText()));
    }

    [Fact]
    public async Task An_endpoint_without_WithCoap_is_served_over_HTTP_only()
    {
        await StartAsync(application =>
        {
            application.MapGet("/both", () => "both").WithCoap();
            application.MapGet("/http", () => "http");
            RouteGroupBuilder group = application.MapGroup("/group").WithCoap();
            group.MapGet("/in", () => "in");
            group.MapGet("/out", () => "out").WithoutCoap();
        });

        await GetAsync("/both").Says("both");
        await GetAsync("/group/in").Says("in");
        await GetAsync("/http").Gives(CoapCode.NotFound);
        await GetAsync("/group/out").Gives(CoapCode.NotFound);
        Assert.Equal("http", await Http.GetStringAsync(new Uri("/http", UriKind.Relative)).WaitAsync(Hang));
    }

    [Fact]
    public async Task AllEndpoints_serves_all_endpoints_except_those_that_opt_out_and_the_HTTP_endpoints_of_the_package()
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

        await GetAsync("/one").Says("one");
        await GetAsync("/none").Gives(CoapCode.NotFound);
        (await GetAsync("/.well-known/core")).GetText().Mentions("</one>");
    }

    [Fact]
    public async Task Endpoints_that_form_a_single_CoAP_route_must_have_the_same_settings()
    {
        string refusal = await RefusalOfAsync(application =>
        {
            application.MapGet("/a/{id:int}", (int id) => "number").WithCoap(route => route.RequireTransportSecurity());
            application.MapGet("/a/{word:alpha}", (string word) => "word").WithCoap();
        });

        refusal.Mentions("They share the CoAP route");
    }

    [Fact]
    public async Task Endpoints_with_the_same_path_are_selected_by_the_Content_Format_of_the_body()
    {
        await StartAsync(application =>
        {
            application.MapPost("/a", () => "text").WithCoap().Accepts<string>("text/plain");
            application.MapPost("/a", () => "json").WithCoap().Accepts<string>("application/json");
        });

        await AskAsync(CoapMethod.Post, "/a", CoapContent.Text("x")).Says("text");
        await AskAsync(CoapMethod.Post, "/a", CoapContent.Text("1", CoapContentFormat.Json)).Says("json");
        await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[1])).Gives(CoapCode.UnsupportedContentFormat);
    }

    [Fact]
    public async Task Endpoints_are_listed_with_their_metadata()
    {
        await StartAsync(application =>
        {
            application.MapGet("/light", () => new Light(true)).WithCoap(route => route.WithResourceType("light").Observable())
                .WithSummary("The light of the hall");
            application.MapGet("/hidden", () => "hidden").WithCoap().ExcludeFromDescription();
            application.MapGet("/lights/{id}", (int id) => "one of many").WithCoap();
        });

        await GetAsync("/.well-known/core").Says("</light>;title=\"The light of the hall\";ct=\"50 60\";rt=\"light\";obs");
    }

    [Fact]
    public async Task An_observer_is_notified_of_a_change_made_over_HTTP()
    {
        await StartAsync(application =>
        {
            bool isOn = false;
            application.MapGet("/light", () => isOn).WithCoap(route => route.Observable());
            application.MapPut("/light", (bool on, CoapServer server) =>
            {
                isOn = on;
                server.Notify("/light");
            });
        });
        await using CoapObservation observation = await Coap.ObserveAsync($"coap://{Host}:5683/light").WaitAsync(Hang);
        await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));
        states.Current.Says("false");

        // What is said of observers, not that the handler says nothing of its age.
        Assert.Equal(FromMinutes(10), states.Current.MaxAge);

        using HttpResponseMessage http = await Http.PutAsync(new Uri("/light?on=true", UriKind.Relative), null).WaitAsync(Hang);

        Assert.True(await states.MoveNextAsync().AsTask().WaitAsync(Hang));
        states.Current.Says("true");
        Assert.Equal(FromMinutes(10), states.Current.MaxAge);
    }

    [Fact]
    public async Task A_response_that_is_too_large_or_never_ends_is_stopped()
    {
        await StartAsync(
            application =>
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
            configure: options => options.MaxResponseSize = 1000);

        Assert.Equal(1000, (await GetAsync("/fits")).Payload.Length);
        await GetAsync("/large").Gives(CoapCode.InternalServerError);
        await GetAsync("/endless").Gives(CoapCode.InternalServerError);
        await GetAsync("/events").Gives(CoapCode.NotImplemented);
    }

    [Fact]
    public async Task A_handler_is_cancelled_after_its_timeout()
    {
        await StartAsync(
            application => application.MapGet("/slow", async (CancellationToken cancellationToken) =>
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)).WithCoap(),
            configure: options => options.Timeout = FromMilliseconds(1));

        await GetAsync("/slow").Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public async Task The_timeout_of_an_endpoint_overrides_the_common_timeout()
    {
        await StartAsync(
            application => application.MapGet("/slow", async (CancellationToken cancellationToken) =>
                await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken)).WithCoap()
                .WithRequestTimeout(FromMilliseconds(1)),
            configure: options => options.Timeout = Timeout.InfiniteTimeSpan);

        await GetAsync("/slow").Gives(CoapCode.ServiceUnavailable);
    }

    [Fact]
    public async Task The_middleware_of_the_CoAP_pipeline_runs_and_that_of_the_application_does_not()
    {
        await StartAsync(
            application =>
            {
                application.Use((HttpContext _, RequestDelegate _) => throw new InvalidOperationException("for HTTP only"));
                application.MapGet("/a", () => "a").WithCoap().RequireRateLimiting("two");
            },
            services => services.AddRateLimiter(limiter =>
            {
                limiter.RejectionStatusCode = StatusCodes.Status429TooManyRequests;
                limiter.AddPolicy("two", context => RateLimitPartition.GetFixedWindowLimiter(string.Empty,
                    _ => new FixedWindowRateLimiterOptions { PermitLimit = 2, Window = FromDays(1) }));
            }),
            configure: options => options.Pipeline = pipeline => pipeline.UseRateLimiter());

        await GetAsync("/a").Says("a");
        await GetAsync("/a").Says("a");
        await GetAsync("/a").Gives(CoapCode.TooManyRequests);
    }

    [Fact]
    public async Task The_size_limit_of_an_endpoint_applies_to_CoAP_bodies()
    {
        await StartAsync(application => application.MapPost("/a", (Stream body) => "read")
            .WithMetadata(new Microsoft.AspNetCore.Mvc.RequestSizeLimitAttribute(1000)).WithCoap());

        await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[1000])).Says("read");
        await AskAsync(CoapMethod.Post, "/a", CoapContent.Binary(new byte[2000])).Gives(CoapCode.RequestEntityTooLarge);
    }

    [Fact]
    public async Task The_builder_that_MapCoap_returns_configures_all_routes()
    {
        await StartAsync(application =>
        {
            application.MapGet("/a", () => "a").WithCoap();
            application.MapCoap(options => options.Server = "other")
                .AddFilter((_, _, _) => new ValueTask<CoapResult>(CoapResults.Text("filtered")));
        }, services => services.AddCoapServer("other", Listen("coap+tcp")));

        await GetAsync("/a").Says("a");
        await AskAsync(CoapMethod.Get, "/a", client: CreateClient("coap+tcp"), scheme: "coap+tcp").Says("filtered");
    }

    [Fact]
    public async Task An_application_whose_CoAP_server_starts_before_its_routes_are_known_is_served()
    {
        using IHost host = new HostBuilder()
            .ConfigureServices(services => services.AddCoapServer(Listen("coap")))
            .ConfigureWebHost(web => web.UseTestServer()
                .ConfigureServices(services => services.AddRouting())
                .Configure(application =>
                {
                    application.UseRouting();
                    application.UseEndpoints(endpoints =>
                    {
                        endpoints.MapGet("/a", () => "a").WithCoap();
                        endpoints.MapCoap();
                    });
                }))
            .Build();
        await host.StartAsync().WaitAsync(Hang);

        await AskAsync(CoapMethod.Get, "/a", client: CreateClient()).Says("a");
        await host.StopAsync();
    }

    internal sealed record Light(bool IsOn);
}
