using Microsoft.Extensions.Primitives;

namespace CoAP.NET.Http.Tests;

/// <summary>Requests to an HTTP server that one answer does for.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SharingBackendTests : BackendTest
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task A_fresh_response_is_reused_until_the_resource_is_changed()
    {
        int version = 0;
        Web.MapGet("/api/config", context =>
        {
            context.Response.Headers.CacheControl = "max-age=1000";
            return context.Response.WriteAsync($"{++version}");
        });
        Web.MapPut("/api/config", () => Results.NoContent());
        await StartAsync();

        await GetAsync("config").Says("1");
        CoapResponse kept = await GetAsync("config");
        Assert.Equal("1", kept.GetText());
        Assert.InRange(kept.MaxAge, FromSeconds(1), FromSeconds(1000));
        await GetAsync("config", CoapContentFormat.TextPlain).Says("2");
        Assert.Equal(1, Proxy.GetCounters().CacheHits);

        await Client.PutAsync(Coap + "/b/config", CoapContent.Text("x"));
        await GetAsync("config").Says("3");
        await GetAsync("config", CoapContentFormat.TextPlain).Says("4");
    }

    [Theory]
    [InlineData("private, max-age=1000", null)]
    [InlineData("no-store", null)]
    [InlineData("max-age=1000", "*")]
    [InlineData(null, null)]
    public async Task A_response_that_is_private_or_not_fresh_is_not_cached(string? cacheControl, string? vary)
    {
        int asked = 0;
        Web.MapGet("/api/config", context =>
        {
            context.Response.Headers.CacheControl = cacheControl;
            context.Response.Headers.Vary = vary;
            return context.Response.WriteAsync($"{++asked}");
        });
        await StartAsync();
        await GetAsync("config");
        await GetAsync("config").Says("2");
    }

    [Fact]
    public async Task A_stale_response_is_validated_by_its_entity_tag_without_transferring_its_body_again()
    {
        VirtualClock clock = new();
        Web.MapGet("/api/config", context => AnswerTagged(context, "\"of more than 8 bytes\""));
        await StartAsync(http => http.TimeProvider = clock);
        await GetAsync("config").Says("body");

        clock.Advance(FromSeconds(10));
        CoapResponse validated = await GetAsync("config");
        validated.Says("body");
        Assert.Equal(FromSeconds(10), validated.MaxAge);
        Assert.Equal("\"of more than 8 bytes\"", Seen.Last().Headers.IfNoneMatch);

        // It is fresh again.
        await GetAsync("config");
        Assert.Equal(2, Seen.Count);
    }

    [Fact]
    public async Task A_back_end_that_answers_with_another_entity_tag_is_requested_again_without_a_tag()
    {
        VirtualClock clock = new();
        string tag = "\"a\"";
        Web.MapGet("/api/config", context =>
        {
            if (!StringValues.IsNullOrEmpty(context.Request.Headers.IfNoneMatch))
            {
                context.Response.StatusCode = 304;
            }

            return AnswerTagged(context, tag);
        });
        await StartAsync(http => http.TimeProvider = clock);
        await GetAsync("config");

        tag = "\"b\"";
        clock.Advance(FromSeconds(10));
        await GetAsync("config").Says("body");
        Assert.Equal(["", "\"a\"", ""], Seen.Select(seen => seen.Headers.IfNoneMatch.ToString()));
    }

    [Fact]
    public async Task A_device_that_fills_the_cache_evicts_only_its_own_responses()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        await using CoapServer server = new(On(clock, 1));
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        await using CoapClient honest = new(On(clock, 2));
        honest.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:5683")));
        await using CoapClient greedy = new(On(clock, 3));
        greedy.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.66:5683")));
        CacheableServer kept = new();
        using HttpClient http = new(kept);
        server.MapHttpBackend("/b/{*path}", "http://api.example.com", Proxy, options =>
            (options.Client, options.CacheBytes, options.TimeProvider) = (() => http, 50_000, clock));
        await server.StartAsync();

        await AskAsync(honest, "honest");
        for (int i = 0; i < 100; i++)
        {
            await AskAsync(greedy, $"junk{i}");
        }

        await AskAsync(honest, "honest");
        await AskAsync(greedy, "junk0");
        Assert.Equal(1, kept.Asked.Count(path => path == "/honest"));
        Assert.Equal(2, kept.Asked.Count(path => path == "/junk0"));

        Task<CoapResponse> AskAsync(CoapClient client, string path) => clock.AdvanceUntilAsync(
            client.GetAsync($"coap://192.0.2.1/b/{path}"), FromMinutes(2));
    }

    [Fact]
    [Rfc("8075-5.5-1")]
    public async Task A_CoAP_server_announces_an_HTTP_proxy_with_its_origin_as_anchor()
    {
        Server.MapGet("/light", () => "on").AnnounceHttpProxy("https://p.example.com/hc/", "?uri={+tu}");
        await Server.StartAsync();

        string links = (await Client.GetAsync(Coap + "/.well-known/core?rt=core.hc")).GetText();

        Assert.Equal("</hc/>;anchor=\"https://p.example.com\";rt=\"core.hc\";hct=\"?uri={+tu}\"", links);
        Assert.Throws<ArgumentException>(() => Server.MapGet("/x", () => "x").AnnounceHttpProxy("coap://p.example.com/"));
    }

    private static CoapEndpointOptions On(VirtualClock clock, ulong seed) => new()
    {
        TimeProvider = clock, Pipeline = { Random = new VirtualRandom(seed), Scheduler = new VirtualScheduler(clock) },
    };

    private static Task AnswerTagged(HttpContext context, string tag)
    {
        context.Response.Headers.CacheControl = "max-age=10";
        context.Response.Headers.ETag = tag;
        if (context.Request.Headers.IfNoneMatch == tag)
        {
            context.Response.StatusCode = 304;
        }

        return context.Response.StatusCode == 304 ? Task.CompletedTask : context.Response.WriteAsync("body");
    }

    private Task<CoapResponse> GetAsync(string path, CoapContentFormat? accept = null) => Client.SendAsync(
        new CoapRequest(CoapMethod.Get, $"{Coap}/b/{path}") { Accept = accept, Timeout = s_hang });

    /// <summary>A server whose answers may be kept.</summary>
    private sealed class CacheableServer : HttpMessageHandler
    {
        public List<string> Asked { get; } = [];

        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancellationToken)
        {
            Asked.Add(request.RequestUri!.AbsolutePath);
            HttpResponseMessage response = new() { Content = new ByteArrayContent(new byte[900]) };
            response.Headers.CacheControl = new() { MaxAge = FromHours(1) };
            return Task.FromResult(response);
        }
    }
}
