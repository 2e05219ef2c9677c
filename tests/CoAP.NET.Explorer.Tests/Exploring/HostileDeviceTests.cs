using System.Globalization;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>Devices that say what they should not, or very much of it, and a page that shows it as text.</summary>
[External("chromium")]
public sealed class HostileDeviceTests(Chromium chromium, ITestOutputHelper output)
    : IClassFixture<Chromium>, IAsyncLifetime
{
    private const string Script = "<script>window.pwned=1</script><img src=x onerror=\"window.pwned=2\">";
    private const int ManyResources = 10_000;

    private readonly CoapServer _device = new();
    private CoapLocalExplorer _explorer = null!;

    public async ValueTask InitializeAsync()
    {
        _device.MapGet("/script", _ => CoapResults.Text(Script)).WithTitle(Script).WithResourceType("javascript:alert(1)");
        _device.MapGet("/json", _ => CoapResults.Bytes(
            Encoding.UTF8.GetBytes($"{{\"{Script.Replace("\"", "\\\"")}\":\"{{{{7*7}}}}\"}}"),
            CoapContentFormat.Json)).WithTitle("json");
        _device.MapGet("/senml", _ => CoapResults.Content(CoapContent.Senml(new CoapSenmlPack(
            new CoapSenmlRecord { Name = "n", Unit = "Cel", StringValue = Script }))));
        _device.MapGet("/svg", _ => CoapResults.Bytes(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" onload=\"window.pwned=3\"></svg>"u8.ToArray(), CoapContentFormat.Svg));
        _device.MapGet("/error", _ => CoapResults.BadRequest(Script));
        _device.MapGet("/formula", _ => CoapResults.Text("=HYPERLINK(\"http://evil.example\")")).Observable();
        _device.MapGet("/location", _ => CoapResults.Text("x"));
        _device.MapPost("/location", (CoapRequestContext _) => CoapResults.Created("/javascript:alert(1)"));
        _device.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
        await _device.StartAsync();
        _explorer = await CoapLocalExplorer.StartAsync(explorer => explorer.FirstTarget = _device.LocalEndpoints[0]);
    }

    public async ValueTask DisposeAsync()
    {
        await _explorer.DisposeAsync();
        await _device.DisposeAsync();
    }

    [Fact]
    public async Task Content_of_a_device_is_neither_executed_nor_loaded()
    {
        await using BrowserPage page = await chromium.OpenAsync(_explorer.Address);
        List<string> asked = [];
        page.Page.Request += (_, request) => asked.Add(request.Url);
        await page.SaysAsync("tree", "<script>");
        foreach ((string path, string shown) in ((string, string)[])[
            ("/script", "onerror"), ("/json", "7*7"), ("/senml", "onerror"), ("/svg", "onload"), ("/error", "onerror")])
        {
            await page.SendAsync("GET", _device.LocalEndpoints[0].Origin() + path);
            await page.SaysAsync("answer", shown);
        }

        await page.SendAsync("POST", _device.LocalEndpoints[0] + "location");
        await page.SaysAsync("answer", "javascript");
        await page["tab-wire"].ClickAsync();
        await page["wire-message"].Last.ClickAsync();
        await page["tab-code"].ClickAsync();
        await page["open-history"].ClickAsync();
        await page.SaysAsync("history-list", "/script");

        Assert.False(await page.Page.EvaluateAsync<bool>("window.pwned !== undefined"));
        Assert.Equal(0, await page.Page.Locator("main script, main iframe, main object, main a[href], dialog a[href]").CountAsync());
        Assert.Empty(page.Complaints);
        Assert.All(asked, url => Assert.True(
            url.StartsWith(_explorer.Address.GetLeftPart(UriPartial.Authority), Ordinal)
                || url.StartsWith("blob:", Ordinal), url), throwIfEmpty: true);
    }

    [Fact]
    public async Task Text_that_looks_like_a_formula_is_escaped_in_an_export()
    {
        await using BrowserPage page = await chromium.OpenAsync(_explorer.Address);
        await page["uri"].FillAsync(_device.LocalEndpoints[0] + "formula");
        await page["observe"].ClickAsync();
        await page.SaysAsync("observe-value", "=HYPERLINK");

        IDownload csv = await page.Page.RunAndWaitForDownloadAsync(() => page["observe-csv"].ClickAsync());

        string text = await File.ReadAllTextAsync(await csv.PathAsync());
        text.Mentions("'=HYPERLINK");
        text.Omits(",=HYPERLINK");
        text.Omits(",\"=HYPERLINK");
    }

    [Fact]
    public async Task Ten_thousand_resources_are_listed_and_filtered_with_few_rows_in_the_page()
    {
        for (int i = 0; i < ManyResources; i++)
        {
            string path = string.Create(CultureInfo.InvariantCulture, $"/room{i / 100}/sensor{i}");
            _device.MapGet(path, _ => CoapResults.Text("1")).WithResourceType("sensor");
        }

        await using BrowserPage page = await chromium.OpenAsync(_explorer.Address);
        await page["target"].FillAsync(_device.LocalEndpoints[1].Origin());
        await page["connect"].ClickAsync();
        await page.SaysAsync("tree-count", "10,0");
        Assert.InRange(await page["tree-row"].CountAsync(), 1, 200);
        await page["tree-filter"].FillAsync("sensor9876");

        await page.SaysAsync("tree-count", "1 of");
        await page.SaysAsync("tree", "sensor9876");
        Assert.Empty(page.Complaints);
    }

    // 17 notifications for each frame are some 1,000 per second. The output has the time of a frame, which docs/explorer.md quotes.
    [Fact]
    public async Task The_page_stays_responsive_with_a_thousand_notifications_a_second_and_ten_thousand_resources()
    {
        const int Frames = 60;
        const int InFrame = 17;
        int value = 0;
        for (int i = 0; i < ManyResources; i++)
        {
            _device.MapGet(string.Create(CultureInfo.InvariantCulture, $"/rack{i / 100}/sensor{i}"), _ => CoapResults.Text("1"));
        }

        _device.MapGet("/fast", (CoapRequestContext _) => CoapResults.Text($"{Volatile.Read(ref value)}")).Observable();
        await using BrowserPage page = await chromium.OpenAsync(_explorer.Address);
        await page["target"].FillAsync(_device.LocalEndpoints[1].Origin());
        await page["connect"].ClickAsync();
        await page.SaysAsync("tree-count", "10,0");
        await page["uri"].FillAsync(_device.LocalEndpoints[1] + "fast");
        await page["observe"].ClickAsync();
        await page.SaysAsync("observe-state", "Observing");
        long began = TimeProvider.System.GetTimestamp();
        for (int frame = 0; frame < Frames; frame++)
        {
            for (int i = 0; i < InFrame; i++)
            {
                Interlocked.Increment(ref value);
                long sent = _device.Counters[CoapCounter.NotificationsSent];
                _device.Notify("/fast");

                // Two changes before a notification leaves would be one notification.
                while (_device.Counters[CoapCounter.NotificationsSent] == sent)
                {
                    await Task.Yield();
                }
            }

            await page.Page.EvaluateAsync("() => new Promise(requestAnimationFrame)");
        }

        double seconds = TimeProvider.System.GetElapsedTime(began).TotalSeconds;
        await page.SaysAsync("observe-value", $"{Frames * InFrame}");
        output.WriteLine(string.Create(
            CultureInfo.InvariantCulture, $"{Frames} frames in {seconds:F1} s: ")
            + await page.Page.EvaluateAsync<string>("() => JSON.stringify(window.explorerStats)"));
        int drawn = await page.Page.EvaluateAsync<int>("() => window.explorerStats.frames");
        Assert.InRange(drawn, 1, Frames * InFrame);
        Assert.InRange(await page["notification"].CountAsync(), 1, 100);
        await page["tree-filter"].FillAsync("sensor9876");
        await page.SaysAsync("tree-count", "1 of");
        Assert.Empty(page.Complaints);
    }
}
