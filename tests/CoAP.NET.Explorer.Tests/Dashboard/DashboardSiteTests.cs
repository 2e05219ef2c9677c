using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>The page and its calls over HTTP.</summary>
public sealed class DashboardSiteTests : IAsyncDisposable
{
    private readonly VirtualClock _clock = new();
    private readonly CoapServer _coap = new(new CoapEndpointOptions { Name = "site" });
    private DashboardSite? _site;

    public async ValueTask DisposeAsync()
    {
        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        await _coap.DisposeAsync();
    }

    [Fact]
    public async Task The_page_and_its_files_have_a_Content_Security_Policy_that_forbids_foreign_scripts()
    {
        DashboardSite site = await StartAsync();
        using HttpResponseMessage page = await site.Http.GetAsync(new Uri("coap/live/", UriKind.Relative));
        string html = await page.Content.ReadAsStringAsync();

        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
        page.Headers.GetValues("Content-Security-Policy").Single().Mentions("script-src 'self'");
        page.Headers.GetValues("Content-Security-Policy").Single().Omits("unsafe");
        html.Omits("style=");
        Assert.DoesNotContain("onclick", html, OrdinalIgnoreCase);
        string[] files = ["dashboard.js", "dashboard-plots.js", "dashboard-stream.js", "dashboard-tables.js", "dashboard-text.js",
            "dashboard-trace.js", "dashboard.css", "dashboard-icon.svg", "uPlot.iife.min.js", "uPlot.min.css"];
        foreach (string name in files)
        {
            using HttpResponseMessage file = await site.Http.GetAsync(new Uri(site.Page, "assets/" + name));
            Assert.Equal(HttpStatusCode.OK, file.StatusCode);
            if (name.StartsWith("dashboard", Ordinal))
            {
                (await file.Content.ReadAsStringAsync()).Omits("innerHTML");
            }
        }
    }

    [Fact]
    public async Task The_path_without_the_trailing_slash_redirects_to_the_page()
    {
        DashboardSite site = await StartAsync();
        using HttpResponseMessage page = await site.Http.GetAsync(new Uri("coap/live", UriKind.Relative));

        Assert.Equal(HttpStatusCode.OK, page.StatusCode);
        Assert.Equal("/coap/live/", page.RequestMessage!.RequestUri!.AbsolutePath);
    }

    [Fact]
    public async Task A_viewer_gets_the_history_first_and_then_a_sample_each_second()
    {
        await _coap.Listen("coap://127.0.0.1:0").StartAsync();
        DashboardSite site = await StartAsync();
        using HttpResponseMessage response = await site.PostAsync("live", new { });
        Assert.Equal("application/x-ndjson", response.Content.Headers.ContentType!.MediaType);
        using StreamReader lines = new(await response.Content.ReadAsStreamAsync());

        JsonElement history = await DashboardSite.ReadAsync(lines);
        Assert.Equal(("history", "site"), (history.TextOf("kind"), history.TextOf("name")));
        Assert.Equal(
            _coap.LocalEndpoints.Select(uri => uri.Origin()),
            history.GetProperty("listening").EnumerateArray().Select(one => one.GetString()));
        for (int i = 1; i <= 3; i++)
        {
            _clock.Advance(FromSeconds(1));
            JsonElement sample = await DashboardSite.ReadAsync(lines);
            Assert.Equal("sample", sample.TextOf("kind"));
            Assert.Equal(_clock.GetUtcNow().ToUnixTimeMilliseconds(), sample.GetProperty("values").GetProperty("time").GetInt64());
        }
    }

    [Fact]
    public async Task A_viewer_that_exceeds_MaxViewers_gets_503_with_the_name_of_the_setting()
    {
        DashboardSite site = await StartAsync(options => options.MaxViewers = 1);
        using HttpResponseMessage one = await site.PostAsync("live", new { });
        using HttpResponseMessage other = await site.PostAsync("live", new { });

        Assert.Equal((HttpStatusCode.OK, HttpStatusCode.ServiceUnavailable), (one.StatusCode, other.StatusCode));
        (await other.Content.ReadAsStringAsync()).Mentions("MaxViewers");
    }

    [Fact]
    public async Task An_application_stops_while_viewers_are_connected()
    {
        DashboardSite site = await StartAsync();
        using HttpResponseMessage live = await site.PostAsync("live", new { });
        using HttpResponseMessage trace = await site.PostAsync("trace", new { peer = "127.0.0.1" });
        using StreamReader lines = new(await live.Content.ReadAsStreamAsync());
        using StreamReader messages = new(await trace.Content.ReadAsStreamAsync());
        await DashboardSite.ReadAsync(lines);
        await DashboardSite.ReadAsync(messages);

        Task stopped = site.Application.StopAsync();

        Assert.Null(await lines.ReadLineAsync().WaitAsync(DashboardSite.Hang));
        Assert.Equal("stopping", (await DashboardSite.ReadAsync(messages)).TextOf("reason"));
        await stopped.WaitAsync(DashboardSite.Hang);
    }

    [Theory]
    [InlineData("live")]
    [InlineData("peers")]
    [InlineData("trace")]
    public async Task Requests_of_other_sites_and_requests_without_the_header_are_refused(string call)
    {
        DashboardSite site = await StartAsync();
        object body = new { peer = "127.0.0.1" };
        using HttpResponseMessage without = await site.PostAsync(call, body, request => request.Headers.Remove("X-CoAP-Explorer"));
        using HttpResponseMessage origin = await site.PostAsync(
            call, body, request => request.Headers.Add("Origin", "https://evil.example"));
        using HttpResponseMessage cross = await site.PostAsync(
            call, body, request => request.Headers.Add("Sec-Fetch-Site", "cross-site"));
        using HttpResponseMessage own = await site.PostAsync(
            call, body, request => request.Headers.Add("Origin", site.Http.BaseAddress!.GetLeftPart(UriPartial.Authority)));

        Assert.Equal([HttpStatusCode.Forbidden, HttpStatusCode.Forbidden, HttpStatusCode.Forbidden, HttpStatusCode.OK],
            new[] { without.StatusCode, origin.StatusCode, cross.StatusCode, own.StatusCode });
    }

    [Theory]
    [InlineData("trace", "{\"peer\":\"<script>\"}")]
    [InlineData("trace", "{}")]
    [InlineData("trace", "[")]
    [InlineData("trace", "{\"peer\":null}")]
    [InlineData("trace", "{\"peer\":5}")]
    [InlineData("trace", "null")]
    [InlineData("trace", "")]
    [InlineData("peers", "{\"address\":\"nobody\"}")]
    [InlineData("peers", "{\"address\":5}")]
    [InlineData("peers", "[]")]
    [InlineData("peers", "")]
    public async Task An_invalid_address_is_refused(string call, string body)
    {
        DashboardSite site = await StartAsync();
        using HttpResponseMessage response = await site.PostAsync(call, new { }, request => request.Content = new StringContent(body));

        Assert.Equal(HttpStatusCode.BadRequest, response.StatusCode);
        Assert.Equal("nosniff", Assert.Single(response.Headers.GetValues("X-Content-Type-Options")));
        string text = await response.Content.ReadAsStringAsync();
        text.Omits("script");
        Assert.NotEqual("", JsonDocument.Parse(text).RootElement.TextOf("detail"));
    }

    [Fact]
    public async Task An_application_with_a_dashboard_open_to_everybody_ends()
    {
        int exitCode = await ProcessExitCode.OfAsync(async () =>
        {
            _site = await DashboardSite.StartAsync(null, map: web => web.MapCoapDashboard("/live", options =>
                options.Endpoint = _coap.Endpoint));
            await _site.Application.WaitForShutdownAsync().WaitAsync(DashboardSite.Hang);
        });

        Assert.Equal(1, exitCode);
    }

    [Theory]
    [InlineData("north", "'north'")]
    [InlineData("", "no CoAP server to show")]
    public async Task A_dashboard_of_an_unknown_server_cannot_be_mapped(string name, string problem)
    {
        InvalidOperationException exception = await Assert.ThrowsAsync<InvalidOperationException>(() =>
            DashboardSite.StartAsync(null, options => options.ServerName = name));

        exception.Mentions(problem);
    }

    [Fact]
    public async Task The_dashboard_shows_the_named_server_of_the_container()
    {
        _site = await DashboardSite.StartAsync(null, options => options.ServerName = "north", services: services =>
            services.AddCoapServer("north", coap =>
            {
                coap.Endpoint.Name = "the north";
                coap.Listen("coap://127.0.0.1:0");
            }));
        using HttpResponseMessage response = await _site.PostAsync("live", new { });
        using StreamReader lines = new(await response.Content.ReadAsStreamAsync());

        Assert.Equal("the north", (await DashboardSite.ReadAsync(lines)).TextOf("name"));
    }

    private async Task<DashboardSite> StartAsync(Action<CoapDashboardOptions>? configure = null) =>
        _site = await DashboardSite.StartAsync(_coap.Endpoint, configure, _clock);
}
