using System.IO.Pipelines;
using CoAP.NET.Explorer.Tests.Exploring;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>The live page in a browser.</summary>
[External("chromium")]
public sealed class DashboardPageTests : IAsyncDisposable
{
    // Alone, so that the policy of the page and its own code are both tried: neither may let it run.
    private const string Hostile = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>";

    private readonly CoapServer _coap = new(new CoapEndpointOptions { Name = "<b>boiler</b>" });
    private readonly CoapClient _client = new();
    private readonly Pipe _toServer = new();
    private readonly Pipe _toClient = new();
    private DashboardSite? _site;
    private DashboardBrowser? _browser;
    private Task _connection = Task.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }

        if (_site is not null)
        {
            await _site.DisposeAsync();
        }

        await _toServer.Writer.CompleteAsync();
        await _client.DisposeAsync();
        await _coap.DisposeAsync();
        await _connection;
    }

    [Theory]
    [MemberData(nameof(ExplorerScreenshots.Windows), MemberType = typeof(ExplorerScreenshots))]
    public async Task The_page_shows_live_values_of_a_running_server(int width, ColorScheme scheme)
    {
        DashboardBrowser browser = await OpenAsync(width, scheme);

        await browser.UntilAsync("document.getElementById('status').dataset.state === 'live'");
        for (int i = 0; i < 20; i++)
        {
            await _client.GetAsync(_coap.LocalEndpoints[0] + "sensors/" + i);
        }

        await _client.GetAsync(_coap.LocalEndpoints[0] + "missing");
        await browser.UntilAsync("document.querySelector('#routes td')?.textContent === '/sensors/{id}'");
        await browser.UntilAsync("[...document.querySelectorAll('#codes tr')].some(row => row.textContent.includes('4.04'))");
        await browser.UntilAsync("document.querySelectorAll('#bounds li').length > 8");
        await browser.UntilAsync("document.querySelectorAll('#plots canvas').length === 6");

        // The page itself asks for the peers again when 50 times as long has passed as the answer before took. By script, because a click
        // scrolls the page away from where its picture is taken.
        await browser.Page.EvaluateAsync("document.querySelector('#peers-form button').click()");
        await browser.UntilAsync("document.querySelectorAll('#peers button').length > 0");
        Assert.Equal(": <b>boiler</b>", await browser.Page.TextContentAsync("#name"));

        await BrowserPage.KeepAsync(browser.Page, $"dashboard-{width}-{scheme}");

        // Nothing is wider than the page, and everything that can be used has a name.
        Assert.Equal(width, await browser.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"));
        Assert.Equal(0, await browser.Page.EvaluateAsync<int>(
            "[...document.querySelectorAll('button, input')].filter(one => !(one.textContent.trim() || one.labels?.length || "
                + "one.ariaLabel)).length"));
        Assert.Empty(browser.Complaints);
    }

    [Fact]
    public async Task Text_from_peers_is_shown_as_text_and_not_executed()
    {
        DashboardBrowser browser = await OpenAsync();

        await browser.UntilAsync("document.getElementById('status').dataset.state === 'live'");
        await ConnectAsync();
        await browser.Page.ClickAsync("#peers-form button");
        await browser.UntilAsync("[...document.querySelectorAll('#peers td')].some(cell => cell.textContent.startsWith('<img src=x'))");
        await browser.Page.FillAsync("#trace-peer", "127.0.0.1");
        await browser.Page.ClickAsync("#trace-start");
        await browser.UntilAsync("document.getElementById('trace-status').textContent.startsWith('Tracing')");

        CoapRequest request = new(CoapMethod.Get, _coap.LocalEndpoints[0] + Uri.EscapeDataString(Hostile));
        await _client.SendAsync(request);
        await browser.UntilAsync("[...document.querySelectorAll('#trace .what')].some(one => one.textContent.includes('<script>'))");

        // By script, as new messages come on top and move the others away from a click.
        await browser.Page.EvaluateAsync("document.querySelectorAll('#trace details').forEach(one => { one.open = true; })");
        await browser.UntilAsync("[...document.querySelectorAll('#trace .fields li')].some(one => one.textContent.includes('<script>'))");
        Assert.Equal(0, await browser.Page.Locator("main img, main script, #name b").CountAsync());
        (await browser.Page.TitleAsync()).Omits("owned");
        await BrowserPage.KeepAsync(browser.Page, "dashboard-trace");
        Assert.Empty(browser.Complaints);
    }

    [Fact]
    public async Task The_time_axis_grows_with_the_measurements_up_to_the_selected_span()
    {
        if (await OpenAsync() is not { } browser)
        {
            return;
        }

        double[] spans = await browser.Page.EvaluateAsync<double[]>("""
            (async () => {
                const { Plots } = await import(new URL("assets/dashboard-plots.js", document.baseURI));
                const plots = new Plots(document.createElement("div"));
                return [[], [1000], [1000, 1030], [1000, 1600]].map(time => {
                    plots.columns = { time };
                    plots.span = 300;
                    const [from, to] = plots.range();
                    return to - from;
                });
            })()
            """);
        Assert.Equal([10, 10, 30, 300], spans);
    }

    [Fact]
    public async Task The_theme_that_was_chosen_in_the_explorer_of_the_site_applies()
    {
        DashboardBrowser browser = await OpenAsync(1280, ColorScheme.Light);
        const string Background = "getComputedStyle(document.body).backgroundColor";
        string light = await browser.Page.EvaluateAsync<string>(Background);

        await browser.Page.EvaluateAsync("localStorage.setItem('coap.theme', 'dark')");
        await browser.Page.ReloadAsync();

        Assert.NotEqual(light, await browser.Page.EvaluateAsync<string>(Background));
        await browser.UntilAsync("document.querySelectorAll('#plots canvas').length === 6");
    }

    [Fact]
    public async Task A_page_is_paused_and_resumed_by_the_keyboard()
    {
        DashboardBrowser browser = await OpenAsync();

        await browser.UntilAsync("document.getElementById('status').dataset.state === 'live'");
        await browser.Page.FocusAsync("#pause");
        await browser.Page.Keyboard.PressAsync("Enter");
        await browser.UntilAsync("document.getElementById('status').dataset.state === 'paused'");
        Assert.Equal("true", await browser.Page.GetAttributeAsync("#pause", "aria-pressed"));

        await browser.Page.Keyboard.PressAsync("Enter");
        await browser.UntilAsync("document.getElementById('status').dataset.state === 'live'");
        Assert.Empty(browser.Complaints);
    }

    private async Task<DashboardBrowser> OpenAsync(int width = 1280, ColorScheme scheme = ColorScheme.Light)
    {
        _browser = await DashboardBrowser.OpenAsync(width, scheme);
        _coap.MapGet("/sensors/{id}", request => CoapResults.Text(request.Route["id"]));
        await _coap.Listen("coap://127.0.0.1:0").StartAsync();
        _site = await DashboardSite.StartAsync(_coap.Endpoint);
        await _browser.Page.GotoAsync(_site.Page.ToString());
        return _browser;
    }

    private async Task ConnectAsync()
    {
        TaskCompletionSource ready = new(RunContinuationsAsynchronously);
        _coap.Endpoint.PeerConnected += (_, _) => ready.TrySetResult();
        _connection = _coap.Endpoint.AcceptStreamAsync(
            new CoapDuplexPipe(_toServer.Reader, _toClient.Writer), new CoapAcceptedConnectionInfo
            {
                Remote = IPEndPoint.Parse("192.0.2.7:40000"),
                Local = IPEndPoint.Parse("192.0.2.1:5683"),
                Identity = new CoapUserPeerIdentity(
                    new ClaimsPrincipal(new ClaimsIdentity([new Claim(ClaimTypes.Name, Hostile)], "test"))),
            });
        await _toServer.Writer.WriteAsync(new byte[] { 0x00, 0xe1 });
        await ready.Task.WaitAsync(DashboardSite.Hang);
    }
}
