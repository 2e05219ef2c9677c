using System.Text.RegularExpressions;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The page in a real browser, looking at a real server.</summary>
[External("chromium")]
public sealed partial class ExplorerBrowserTests(ExplorerWorld world, Chromium chromium)
    : IClassFixture<ExplorerWorld>, IClassFixture<Chromium>, IAsyncLifetime
{
    private BrowserPage _page = null!;

    private Uri Address => world.Explorer.Address;

    public async ValueTask InitializeAsync() => _page = await chromium.OpenAsync(Address);

    public async ValueTask DisposeAsync()
    {
        await _page.DisposeAsync();
        Assert.Empty(_page.Complaints);
    }

    [Fact]
    public async Task The_tree_lists_the_resources_and_can_be_filtered()
    {
        await _page.SaysAsync("tree", "hello");
        await _page["tree-filter"].FillAsync("A number that");

        await _page.SaysAsync("tree-count", "1 of");
        await _page.SaysAsync("tree", "count");
        await _page["tree-filter"].FillAsync("");
        await _page.SaysAsync("tree", "hello");
    }

    [Fact]
    public async Task A_request_can_be_sent_by_the_keyboard_alone()
    {
        await _page.SaysAsync("tree", "hello");
        await _page["tree-filter"].FillAsync("A number that");
        await _page.SaysAsync("tree-count", "1 of");
        await _page["tree-filter"].PressAsync("Tab");
        await _page.Page.Keyboard.PressAsync("ArrowDown");
        await _page.Page.Keyboard.PressAsync("Enter");

        await _page.SaysAsync("answer-code", "2.05");
        (await _page["uri"].InputValueAsync()).Ends("/count");
    }

    [Fact]
    public async Task A_response_is_shown_with_code_options_time_and_payload()
    {
        await _page.SendAsync("GET", world.Coap + "/hello");

        await _page.SaysAsync("answer-code", "2.05");
        await _page.SaysAsync("answer-name", "Content");
        await _page.SaysAsync("answer-facts", "ms");
        await _page.SaysAsync("answer", "Content-Format");
        await _page.SaysAsync("view-text", "hello world!");
    }

    [Fact]
    public async Task A_payload_with_its_format_and_an_option_by_name_are_sent()
    {
        await _page["method"].SelectOptionAsync("POST");
        await _page["uri"].FillAsync(world.Coap + "/echo");
        await _page["payload-kind-json"].CheckAsync(new LocatorCheckOptions { Force = true });
        await _page["payload-text"].FillAsync("{\"on\":true,\"levels\":[1,2]}");
        await _page["option-add"].ClickAsync();
        await _page["option-name"].FillAsync("Uri-Query");
        await _page["option-value"].FillAsync("a=1");
        await _page["send"].ClickAsync();

        await _page.SaysAsync("answer-code", "2.05");
        await _page.SaysAsync("json-tree", "levels");
        await _page["tab-wire"].ClickAsync();
        await _page.SaysAsync("ladder", "POST /echo?a=1");
    }

    [Fact]
    public async Task An_invalid_option_is_not_sent()
    {
        await _page["uri"].FillAsync(world.Coap + "/hello");
        await _page["option-add"].ClickAsync();
        await _page["option-name"].FillAsync("If-Match");
        await _page["option-value"].FillAsync("no digits");
        await _page["send"].ClickAsync();

        await Assertions.Expect(_page["option-problem"]).ToBeVisibleAsync();
        Assert.Equal(0, await _page["answer-code"].CountAsync());
    }

    [Fact]
    public async Task CBOR_is_entered_in_diagnostic_notation_and_its_bytes_are_shown_during_input()
    {
        await _page["method"].SelectOptionAsync("POST");
        await _page["uri"].FillAsync(world.Coap + "/echo");
        await _page["payload-kind-cbor"].CheckAsync(new LocatorCheckOptions { Force = true });
        await _page["payload-text"].FillAsync("{1: h'00ff'}");
        await _page.SaysAsync("payload-preview", "a1");
        await _page["send"].ClickAsync();

        await _page.SaysAsync("view-cbor", "{1: h'00ff'}");
        await Assertions.Expect(_page["view-cbor"]).ToBeVisibleAsync();
    }

    [Fact]
    public async Task Numbers_in_JSON_are_shown_as_they_were_sent()
    {
        await _page["method"].SelectOptionAsync("POST");
        await _page["uri"].FillAsync(world.Coap + "/echo");
        await _page["payload-kind-json"].CheckAsync(new LocatorCheckOptions { Force = true });
        await _page["payload-text"].FillAsync("[5.0,1e400,-0,9007199254740993,0.1,7]");
        await _page["send"].ClickAsync();

        await _page.SaysAsync("json-tree", "7");
        Assert.Equal(
            ["5.0", "1e400", "-0", "9007199254740993", "0.1", "7"],
            await _page["json-tree"].Locator(".json-number").AllTextContentsAsync());
    }

    [Fact]
    public async Task A_resource_with_a_trailing_slash_has_a_name_and_its_ETag_is_shown_once()
    {
        await _page["tree-filter"].FillAsync("config");
        await _page.SaysAsync("tree-count", "2 of");
        Assert.Equal(["config", "config/"], await _page["tree"].Locator(".tree-name bdi").AllTextContentsAsync());
        await _page["tree"].Locator(".tree-name bdi").GetByText("config/").DblClickAsync();

        await _page.SaysAsync("view-text", "with a slash");
        Assert.Equal("", await _page.Page.EvaluateAsync<string>("getSelection().toString()"));
        string options = await _page["options"].InnerTextAsync();
        Assert.Equal(2, options.Split("0a0b").Length);
    }

    [Fact]
    public async Task An_error_disappears_when_a_later_input_is_invalid()
    {
        await _page.SendAsync("GET", world.Coaps + "/hello");
        await _page.SaysAsync("alert", "No key");
        await _page.SendAsync("GET", world.Coap + "/a b");

        await Assertions.Expect(_page["alert"]).ToBeEmptyAsync();
        await Assertions.Expect(_page.Page.Locator("#uri-problem")).ToBeVisibleAsync();
    }

    [Fact]
    public async Task A_phone_shows_the_resources_first_and_then_the_request_of_the_selected_resource()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address, width: 360, height: 740);
        await page.SaysAsync("tree", "hello");
        await Assertions.Expect(page["tree"]).ToBeVisibleAsync();
        await page["tree"].Locator(".tree-name bdi").GetByText("hello", new LocatorGetByTextOptions { Exact = true }).ClickAsync();

        await Assertions.Expect(page["uri"]).ToBeVisibleAsync();
        Assert.Equal("/hello", await page["uri"].InputValueAsync());
    }

    [Fact]
    public async Task SenML_is_shown_as_a_table()
    {
        await _page.SendAsync("GET", world.Coap + "/senml");

        await _page.SaysAsync("answer", "urn:dev:1:temp");
        await _page.SaysAsync("answer", "Cel");
        await _page.SaysAsync("answer", "21.5");
    }

    [Fact]
    public async Task The_messages_are_drawn_as_a_ladder_diagram_whose_bytes_are_explained()
    {
        await _page.SendAsync("GET", world.Coap + "/hello");
        await _page.SaysAsync("answer-code", "2.05");
        await _page["tab-wire"].ClickAsync();

        await Assertions.Expect(_page["wire-message"]).ToHaveCountAsync(2);
        await _page["wire-message"].First.ClickAsync();
        await _page["byte"].First.HoverAsync();
        await _page.SaysAsync("byte-explanation", "Version 1");
    }

    [Fact]
    public async Task Input_is_impossible_before_the_page_has_started()
    {
        TaskCompletionSource isHeld = new();
        TaskCompletionSource released = new();
        await using BrowserPage page = await chromium.OpenAsync(Address, start: async opened =>
        {
            await opened.RouteAsync("**/api/about", async route =>
            {
                isHeld.SetResult();
                await released.Task;
                await route.ContinueAsync();
            });
        });
        await isHeld.Task;

        await page["uri"].EvaluateAsync("field => field.focus()");
        await page.Page.Keyboard.TypeAsync("/hello");
        string before = await page["uri"].InputValueAsync();
        released.SetResult();
        await page.StartedAsync();
        await page["uri"].FillAsync("/hello");

        Assert.Equal("", before);
        Assert.Equal("/hello", await page["uri"].InputValueAsync());
        Assert.Empty(page.Complaints);
    }

    [Fact]
    public async Task An_observation_shows_and_plots_the_newest_value_and_can_be_exported()
    {
        await _page["uri"].FillAsync(world.Coap + "/count");
        await _page["observe"].ClickAsync();
        await _page.SaysAsync("observe-state", "Observing");
        for (int i = 0; i < 5; i++)
        {
            world.Increase();
            await _page.SaysAsync("observe-value", $"{world.Count}");
        }

        await _page["observe-pause"].ClickAsync();
        int paused = world.Count;
        world.Increase();
        await _page.SaysAsync("observe-counts", "paused");
        await Assertions.Expect(_page["observe-value"]).ToContainTextAsync($"{paused}");
        await _page["observe-pause"].ClickAsync();
        await _page.SaysAsync("observe-value", $"{world.Count}");
        Assert.True(await _page["plot"].Locator("canvas").CountAsync() > 0);
        IDownload csv = await _page.Page.RunAndWaitForDownloadAsync(() => _page["observe-csv-values"].ClickAsync());
        string text = await ReadAsync(csv);
        text.Mentions($"{world.Count}");
        await _page["observe-stop"].ClickAsync();
    }

    [Fact]
    public async Task A_file_is_uploaded_and_downloaded_unchanged()
    {
        byte[] file = new byte[200_000];
        new Random(2).NextBytes(file);
        await _page["method"].SelectOptionAsync("PUT");
        await _page["uri"].FillAsync(world.Coap + "/file");
        await _page["payload-kind-file"].CheckAsync(new LocatorCheckOptions { Force = true });
        await _page["payload-file"].SetInputFilesAsync(
            new FilePayload { Name = "firmware.bin", MimeType = "application/octet-stream", Buffer = file });
        await _page["send"].ClickAsync();
        await _page.SaysAsync("answer-code", "2.04");
        Assert.Equal(file, world.File);

        await _page["payload-kind-none"].CheckAsync(new LocatorCheckOptions { Force = true });
        await _page.SendAsync("GET", world.Coap + "/file");
        await _page.SaysAsync("answer-code", "2.05");
        IDownload download = await _page.Page.RunAndWaitForDownloadAsync(() => _page["payload-download"].ClickAsync());
        Assert.Equal(file, await File.ReadAllBytesAsync(await download.PathAsync()));
    }

    [Fact]
    public async Task A_cancelled_download_resumes_where_it_stopped()
    {
        await _page.SendAsync("GET", world.Coap + "/slow");
        await Assertions.Expect(_page["progress"]).ToContainTextAsync(TensOfKilobytes());
        await _page["cancel"].ClickAsync();
        await Assertions.Expect(_page["resume"]).ToBeVisibleAsync();
        world.Release();
        await _page["resume"].ClickAsync();

        await _page.SaysAsync("answer-code", "2.05");
        IDownload download = await _page.Page.RunAndWaitForDownloadAsync(() => _page["payload-download"].ClickAsync());
        Assert.Equal(ExplorerWorld.SlowBody, await File.ReadAllBytesAsync(await download.PathAsync()));
    }

    [Fact]
    public async Task The_request_is_shown_as_code()
    {
        await _page.SendAsync("GET", world.Coap + "/hello");
        await _page["tab-code"].ClickAsync();

        await _page.SaysAsync("code", "coap get");
        await _page.SaysAsync("code", "coap-client");
        await _page.SaysAsync("code", "CoapMethod.Get");
    }

    [Fact]
    public async Task An_error_is_shown_with_a_hint()
    {
        await _page["uri"].FillAsync("coap://127.0.0.1:1/x");
        await _page["timeout"].FillAsync("0.5");
        await _page["send"].ClickAsync();

        await Assertions.Expect(_page["alert"]).ToBeVisibleAsync();
        await _page.SaysAsync("alert-hint", "port");
    }

    [Fact]
    public async Task A_session_is_opened_by_a_profile_and_by_an_entered_key()
    {
        await _page["open-security"].ClickAsync();
        await _page["security-profile"].First.CheckAsync();
        await _page["security-apply"].ClickAsync();
        await _page.SendAsync("GET", world.Coaps + "/hello");
        await _page.SaysAsync("view-text", "whoever has the key");

        await _page["open-security"].ClickAsync();
        await _page["security-psk"].CheckAsync();
        await _page["psk-identity"].FillAsync(ExplorerWorld.Psk.Split(':')[0]);
        await _page["psk-key"].FillAsync(ExplorerWorld.Psk.Split(':')[1]);
        await _page["security-apply"].ClickAsync();
        await _page.SendAsync("GET", world.Coaps + "/hello");
        await _page.SaysAsync("view-text", "whoever has the key");
        string kept = await _page.Page.EvaluateAsync<string>("JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })");
        kept.Omits(ExplorerWorld.Psk.Split(':')[1]);
    }

    [Fact]
    public async Task Two_browser_tabs_do_not_affect_each_other()
    {
        BrowserPage one = _page;
        await using BrowserPage two = await chromium.OpenAsync(Address);
        await one["uri"].FillAsync(world.Coap + "/count");
        await one["observe"].ClickAsync();
        await one.SaysAsync("observe-state", "Observing");
        await two.SendAsync("GET", world.Coap + "/hello");
        await two.SaysAsync("view-text", "hello world!");
        world.Increase();

        await one.SaysAsync("observe-value", $"{world.Count}");
        await two["tab-wire"].ClickAsync();
        await Assertions.Expect(two["wire-message"]).ToHaveCountAsync(2);
    }

    [Fact]
    public async Task A_bookmark_and_the_history_are_kept_when_the_page_is_reloaded()
    {
        await _page.SaysAsync("tree", "hello");
        await _page["bookmark"].ClickAsync();
        await _page.SendAsync("GET", world.Coap + "/hello");
        await _page.SaysAsync("answer-code", "2.05");
        await _page.Page.ReloadAsync();
        await _page.SaysAsync("tree", "hello");

        await _page["open-bookmarks"].ClickAsync();
        await _page.SaysAsync("bookmark-entry", world.Coap);
        await _page.Page.Keyboard.PressAsync("Escape");
        await _page["open-history"].ClickAsync();
        await _page.SaysAsync("history-list", "/hello");
    }

    [Fact]
    public async Task The_page_without_a_token_says_that_the_token_is_missing()
    {
        await using BrowserPage page = await chromium.OpenAsync(new Uri(Address.GetLeftPart(UriPartial.Path)));

        await page.SaysAsync("alert", "token");
    }

    [Fact]
    public async Task The_page_fits_the_width_of_a_phone()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address, width: 360, height: 740);
        await page.SaysAsync("alert", "");
        await page["part-request"].ClickAsync();
        await page.SendAsync("GET", world.Coap + "/hello");
        await page.SaysAsync("answer-code", "2.05");

        foreach (string part in (string[])["part-resources", "part-request", "part-answer"])
        {
            await page[part].First.ClickAsync();
            Assert.Equal(360, await page.Page.EvaluateAsync<int>("document.documentElement.scrollWidth"));
        }
    }

    [Fact]
    public async Task Every_control_has_an_accessible_name()
    {
        await _page.SendAsync("GET", world.Coap + "/hello");
        await _page.SaysAsync("answer-code", "2.05");

        string[] nameless = await _page.Page.EvaluateAsync<string[]>("""
            [...document.querySelectorAll('button, input, select, textarea')]
                .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
                    || e.textContent.trim()))
                .map(e => e.outerHTML.slice(0, 120))
            """);
        Assert.Empty(nameless);
    }

    [Fact]
    public async Task An_observation_shows_when_its_server_ended()
    {
        CoapServer passing = new();
        passing.MapGet("/state", _ => CoapResults.Text("1")).Observable();
        passing.Listen("coap+tcp://127.0.0.1:0");
        await passing.StartAsync();
        await _page["uri"].FillAsync(passing.LocalEndpoints[0] + "state");
        await _page["observe"].ClickAsync();
        await _page.SaysAsync("observe-state", "Observing");

        await passing.DisposeAsync();

        await Assertions.Expect(_page["observe-state"]).Not.ToContainTextAsync("Observing", new() { Timeout = 30_000 });
    }

    [GeneratedRegex(@"Download: \d\d(\.\d)? K")]
    private static partial Regex TensOfKilobytes();

    private static async Task<string> ReadAsync(IDownload download) =>
        Encoding.UTF8.GetString(await File.ReadAllBytesAsync(await download.PathAsync()));
}
