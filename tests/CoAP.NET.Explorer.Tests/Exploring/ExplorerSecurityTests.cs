using System.Net.Security;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Explorer.Exploring;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>Who can use a page, and whom it asks.</summary>
public sealed class ExplorerSecurityTests(ExplorerWorld world) : IClassFixture<ExplorerWorld>
{
    private ExplorerPage Page => world.Page;

    private object Hello => new { method = "GET", uri = world.Coap + "/hello" };

    [Theory]
    [InlineData("about")]
    [InlineData("request")]
    [InlineData("observe")]
    [InlineData("resources")]
    [InlineData("discover")]
    [InlineData("code")]
    [InlineData("convert")]
    public async Task A_call_without_the_token_is_refused(string call)
    {
        using ExplorerPage stranger = new(Page.Http.BaseAddress!, null);
        using ExplorerPage guesser = new(Page.Http.BaseAddress!, new string('0', 48));

        Assert.Equal((403, "No token"), await stranger.RefusedAsync(call, Hello));
        Assert.Equal((403, "No token"), await guesser.RefusedAsync(call, Hello));
    }

    [Fact]
    public async Task A_request_to_coaps_without_keys_returns_an_error_that_names_the_button_for_keys()
    {
        using HttpResponseMessage response = await Page.CallAsync("request", new { method = "GET", uri = world.Coaps + "/hello" });
        JsonElement problem = JsonDocument.Parse(await response.Content.ReadAsStringAsync()).RootElement;
        Assert.Equal("No key", problem.TextOf("title"));
        Assert.Equal("Press \"No security\" at the top of the page, and enter one.", problem.TextOf("hint"));
    }

    [Fact]
    public async Task An_untrusted_certificate_returns_an_error_that_refers_to_the_security_settings()
    {
        using ECDsa key = ECDsa.Create(ECCurve.NamedCurves.nistP256);
        using X509Certificate2 certificate = new CertificateRequest("CN=device", key, HashAlgorithmName.SHA256)
            .CreateSelfSigned(DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddYears(200));
        await using CoapServer server = new(new CoapEndpointOptions
        {
            Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions { ServerCertificate = certificate } },
        });
        await server.Listen("coaps+tcp://127.0.0.1:0").StartAsync();
        List<JsonElement> events = await Page.RunAsync("request", new { method = "GET", uri = server.LocalEndpoints[0] + "hello" });

        JsonElement problem = events.Single(one => ExplorerPage.Kind(one) == "error");
        Assert.Equal("No secure connection", problem.TextOf("title"));
        problem.TextOf("hint").Mentions("enter the authority of the server's certificate");
    }

    [Theory]
    [InlineData("Origin", "http://evil.example")]
    [InlineData("Origin", "null")]
    [InlineData("Origin", "http://127.0.0.1:1")]
    [InlineData("Origin", "https://SERVER")]
    [InlineData("Origin", "ws://SERVER")]
    [InlineData("Origin", "chrome-extension://SERVER")]
    [InlineData("Sec-Fetch-Site", "cross-site")]
    [InlineData("Sec-Fetch-Site", "same-site")]
    public async Task A_page_of_another_site_is_refused_even_with_the_token(string header, string value) =>
        Assert.Equal((403, "Another site"), await Page.RefusedAsync(
            "request", Hello, (header, value.Replace("SERVER", Page.Http.BaseAddress!.Authority, Ordinal))));

    [Fact]
    public async Task A_call_of_the_page_itself_is_accepted()
    {
        using HttpResponseMessage response = await Page.CallAsync(
            "about", new { }, ("Origin", Page.Http.BaseAddress!.GetLeftPart(UriPartial.Authority)), ("Sec-Fetch-Site", "same-origin"));

        Assert.Equal(HttpStatusCode.OK, response.StatusCode);
    }

    [Fact]
    public async Task A_rebound_host_name_is_refused_for_the_page_and_its_calls()
    {
        using HttpRequestMessage page = new(HttpMethod.Get, "");
        page.Headers.Host = "evil.example:" + Page.Http.BaseAddress!.Port;
        using HttpResponseMessage response = await Page.Http.SendAsync(page);

        Assert.Equal(HttpStatusCode.Forbidden, response.StatusCode);
        Assert.Equal((403, "Not by this name"), await Page.RefusedAsync("about", new { }, ("Host", "evil.example")));
    }

    [Fact]
    public async Task The_Content_Security_Policy_forbids_foreign_resources_and_inline_scripts()
    {
        using HttpResponseMessage response = await Page.Http.GetAsync(new Uri("", UriKind.Relative));

        string policy = Assert.Single(response.Headers.GetValues("Content-Security-Policy"));
        policy.Mentions("default-src 'none'");
        policy.Omits("unsafe");
        policy.Omits("http");
        Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));
        Assert.Equal("no-referrer", Assert.Single(response.Headers.GetValues("Referrer-Policy")));
        string text = await response.Content.ReadAsStringAsync();
        text.Omits("http://");
        text.Omits("https://");
    }

    [Fact]
    public async Task An_application_with_an_explorer_open_to_everybody_ends()
    {
        WebApplicationBuilder builder = MakeBuilder();
        await using WebApplication web = builder.Build();
        web.MapCoapExplorer("/coap");

        int exitCode = await ProcessExitCode.OfAsync(async () =>
        {
            await web.StartAsync();
            await web.WaitForShutdownAsync().WaitAsync(FromMinutes(1));
        });

        Assert.Equal(1, exitCode);
    }

    [Fact]
    public async Task Unauthorized_users_are_refused()
    {
        await using WebApplication web = await StartAsync(null, explorer => explorer.RequireAuthorization());
        using ExplorerPage stranger = PageOf(web);
        using ExplorerPage user = PageOf(web);
        user.Http.DefaultRequestHeaders.Add("X-User", "ann");

        using HttpResponseMessage refused = await stranger.CallAsync("about", new { });
        using HttpResponseMessage page = await stranger.Http.GetAsync(new Uri("", UriKind.Relative));

        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
        Assert.Equal(HttpStatusCode.Unauthorized, page.StatusCode);
        Assert.Equal(JsonValueKind.Object, (await user.AskAsync("about", new { })).ValueKind);
    }

    [Fact]
    public async Task A_call_without_the_custom_header_is_refused()
    {
        await using WebApplication web = await StartAsync(options => options.AllowAnonymous = true);
        using ExplorerPage foreign = new(PageOf(web).Http.BaseAddress!, null);

        Assert.Equal((403, "No token"), await foreign.RefusedAsync("request", Hello));
    }

    [Fact]
    public async Task An_unknown_host_name_is_refused_and_an_allowed_host_name_is_accepted()
    {
        await using WebApplication web = await StartAsync(options =>
        {
            options.AllowAnonymous = true;
            options.AllowedHosts.Add("boiler.example");
        });
        using ExplorerPage page = PageOf(web);

        Assert.Equal((403, "Not by this name"), await page.RefusedAsync("about", new { }, ("Host", "evil.test:8080")));
        page.Http.DefaultRequestHeaders.Host = "boiler.example";
        Assert.Equal(JsonValueKind.Object, (await page.AskAsync("about", new { })).ValueKind);
    }

    [Fact]
    public async Task Only_the_server_of_the_application_is_an_allowed_target_by_default()
    {
        await using WebApplication web = await StartAsync(options => options.AllowAnonymous = true, hasServer: true);
        using ExplorerPage page = PageOf(web);
        string own = web.Services.GetRequiredService<CoapServer>().LocalEndpoints[0].Origin();

        JsonElement response = await page.ResponseAsync(new { method = "GET", uri = own + "/own" });

        Assert.Equal("2.05", response.TextOf("code"));
        Assert.Equal((403, "Not allowed"), await page.RefusedAsync("request", Hello));
        Assert.Equal((403, "Not allowed"), await page.RefusedAsync("observe", Hello));
        Assert.Equal((403, "Not allowed"), await page.RefusedAsync("resources", new { target = world.Coap }));
        Assert.Equal((403, "Not allowed"), await page.RefusedAsync("discover", new { seconds = 0.1 }));
        Assert.Equal((403, "Not allowed"), await page.RefusedAsync("request", new { method = "GET", uri = "coap://169.254.169.254/" }));
        JsonElement about = await page.AskAsync("about", new { });
        Assert.Equal(own, Assert.Single(about.GetProperty("targets").EnumerateArray()).GetString());
        Assert.False(about.GetProperty("canDiscover").GetBoolean());
    }

    [Fact]
    public async Task A_request_to_an_allowed_host_name_with_a_forbidden_address_is_refused()
    {
        await using WebApplication web = await StartAsync(options =>
        {
            options.AllowAnonymous = true;
            options.Targets.AllowHost("sensor.example.com");
            options.ConfigureClient = endpoint =>
                endpoint.Transports.ResolveHost = (_, _) => Task.FromResult<IPAddress[]>([IPAddress.Loopback]);
        });
        using ExplorerPage page = PageOf(web);

        List<JsonElement> events = await page.RunAsync("request", new { method = "GET", uri = "coap://sensor.example.com/x" });

        Assert.Equal("Not allowed", events.Single(one => ExplorerPage.Kind(one) == "error").TextOf("title"));
        Assert.DoesNotContain(events, one => ExplorerPage.Kind(one) == "wire");
    }

    [Fact]
    public async Task An_explorer_that_does_not_allow_keys_of_users_refuses_them()
    {
        await using WebApplication web = await StartAsync(options =>
        {
            options.AllowAnonymous = options.AllowAnyTarget = true;
            options.AddProfile("for another host", _ => { }, "192.0.2.1");
        });
        using ExplorerPage page = PageOf(web);

        Assert.Equal((403, "Not allowed"), await page.RefusedAsync(
            "request", new { method = "GET", uri = world.Coaps + "/hello", security = new { identity = "a", key = "b" } }));
        Assert.Equal((400, "Another host"), await page.RefusedAsync(
            "request", new { method = "GET", uri = world.Coaps + "/hello", security = new { profile = "for another host" } }));
        Assert.Equal((400, "No such profile"), await page.RefusedAsync(
            "request", new { method = "GET", uri = world.Coaps + "/hello", security = new { profile = "?" } }));
    }

    [Fact]
    public void Addresses_of_one_source_share_the_places_of_a_user()
    {
        ExchangeLimiter places = new(new CoapExplorerOptions());
        List<CoapQuotaSource> taken = [];
        for (int i = 0; i < 80; i++)
        {
            // Of one /56.
            if (TryTake($"2001:db8:0:1{i:x2}::{i}") is { } source)
            {
                taken.Add(source);
            }
        }

        Assert.Equal((16, 16), (taken.Count, places.Taken));
        Assert.NotNull(TryTake("2001:db8:0:200::1"));
        Assert.NotNull(TryTake("192.0.2.1"));
        taken.ForEach(places.Return);
        Assert.Equal(2, places.Taken);

        CoapQuotaSource? TryTake(string address)
        {
            DefaultHttpContext context = new();
            context.Connection.RemoteIpAddress = IPAddress.Parse(address);
            try
            {
                return places.Take(context);
            }
            catch (ExplorerException exception)
            {
                Assert.Equal((503, "Too much at a time"), (exception.Status, exception.Problem.Title));
                return null;
            }
        }
    }

    [Theory]
    [InlineData("about", "{}", 200)]
    [InlineData("request", "{}", 400)]
    [InlineData("observe", "[", 400)]
    [InlineData("resources", "{\"target\":\"coap://SERVER\"}", 200)]
    [InlineData("request", "{\"method\":\"GET\",\"uri\":\"coap://SERVER/hello\"}", 200)]
    [InlineData("discover", "{\"seconds\":-1}", 400)]
    [InlineData("code", "{\"uri\":\"coap://SERVER/hello\"}", 200)]
    [InlineData("convert", "{}", 200)]
    public async Task Browsers_must_not_guess_the_type_of_any_answer(string call, string body, int status)
    {
        string json = body.Replace("SERVER", new Uri(world.Coap).Authority, Ordinal);
        using HttpResponseMessage answer = await Page.SendAsync(call, new StringContent(json, Encoding.UTF8, "application/json"));
        using ExplorerPage stranger = new(Page.Http.BaseAddress!, null);
        using HttpResponseMessage refused = await stranger.CallAsync(call, new { });

        Assert.Equal((status, 403), ((int)answer.StatusCode, (int)refused.StatusCode));
        Assert.All([answer, refused], response =>
            Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options"))));
    }

    [Fact]
    public async Task A_user_cannot_exhaust_the_limit_of_concurrent_exchanges()
    {
        await using WebApplication web = await StartAsync(
            options =>
            {
                options.AllowAnyTarget = true;
                options.MaxExchanges = 4;
                options.MaxExchangesPerUser = 2;
            },
            explorer => explorer.RequireAuthorization());
        using ExplorerPage greedy = PageOf(web);
        using ExplorerPage other = PageOf(web);
        greedy.Http.DefaultRequestHeaders.Add("X-User", "greedy");
        other.Http.DefaultRequestHeaders.Add("X-User", "other");
        object observation = new { method = "GET", uri = world.Coap + "/count" };
        await using IAsyncEnumerator<JsonElement> first = greedy.EventsAsync("observe", observation).GetAsyncEnumerator();
        await using IAsyncEnumerator<JsonElement> second = greedy.EventsAsync("observe", observation).GetAsyncEnumerator();
        await first.MoveNextAsync();
        await second.MoveNextAsync();

        Assert.Equal((503, "Too much at a time"), await greedy.RefusedAsync("request", Hello));
        Assert.Equal("2.05", (await other.ResponseAsync(Hello)).TextOf("code"));
    }

    private static ExplorerPage PageOf(WebApplication web) => new(new Uri(web.Urls.First() + "/coap/"), "1");

    private static WebApplicationBuilder MakeBuilder()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        return builder;
    }

    private static async Task<WebApplication> StartAsync(
        Action<CoapExplorerOptions>? configure, Action<IEndpointConventionBuilder>? protect = null, bool hasServer = false)
    {
        WebApplicationBuilder builder = MakeBuilder();
        builder.Services.AddAuthentication("header").AddScheme<AuthenticationSchemeOptions, HeaderUsers>("header", null);
        builder.Services.AddAuthorization();
        if (hasServer)
        {
            builder.Services.AddCoapServer(options => options.Listen("coap://127.0.0.1:0"));
        }

        WebApplication web = builder.Build();
        web.UseAuthentication();
        web.UseAuthorization();
        IEndpointConventionBuilder explorer = web.MapCoapExplorer("/coap", configure);
        protect?.Invoke(explorer);
        if (hasServer)
        {
            web.Services.GetRequiredService<CoapServer>().MapGet("/own", () => CoapResults.Text("own"));
        }

        await web.StartAsync();
        return web;
    }
}
