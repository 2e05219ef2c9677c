using System.Text;
using System.Text.RegularExpressions;
using CoAP.NET.Tests.Browser;
using Microsoft.Playwright;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The page in a real browser, looking at a real server.</summary>
public sealed partial class ExplorerBrowserTests(ExplorerWorld world, Chromium chromium)
    : IClassFixture<ExplorerWorld>, IClassFixture<Chromium>
{
    private Uri Address => world.Explorer.Address;

    [Fact]
    [External("chromium")]
    public async Task The_tree_lists_resources_and_a_filter_finds_some()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SaysAsync("tree", "hello");
        await page["tree-filter"].FillAsync("A number that");

        await page.SaysAsync("tree-count", "1 of");
        await page.SaysAsync("tree", "count");
        await page["tree-filter"].FillAsync("");
        await page.SaysAsync("tree", "hello");
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_resource_is_asked_for_by_the_keyboard_alone()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SaysAsync("tree", "hello");
        await page["tree-filter"].FillAsync("A number that");
        await page.SaysAsync("tree-count", "1 of");
        await page["tree-filter"].PressAsync("Tab");
        await page.Page.Keyboard.PressAsync("ArrowDown");
        await page.Page.Keyboard.PressAsync("Enter");

        await page.SaysAsync("answer-code", "2.05");
        Assert.EndsWith("/count", await page["uri"].InputValueAsync(), StringComparison.Ordinal);
    }

    [Fact]
    [External("chromium")]
    public async Task An_answer_shows_code_options_time_and_payload()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/hello");

        await page.SaysAsync("answer-code", "2.05");
        await page.SaysAsync("answer-name", "Content");
        await page.SaysAsync("answer-facts", "ms");
        await page.SaysAsync("answer", "Content-Format");
        await page.SaysAsync("view-text", "hello world!");
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_payload_with_its_format_and_an_option_by_name_are_sent()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["method"].SelectOptionAsync("POST");
        await page["uri"].FillAsync(world.Coap + "/echo");
        await page["payload-kind-json"].CheckAsync(new LocatorCheckOptions { Force = true });
        await page["payload-text"].FillAsync("{\"on\":true,\"levels\":[1,2]}");
        await page["option-add"].ClickAsync();
        await page["option-name"].FillAsync("Uri-Query");
        await page["option-value"].FillAsync("a=1");
        await page["send"].ClickAsync();

        await page.SaysAsync("answer-code", "2.05");
        await page.SaysAsync("json-tree", "levels");
        await page["tab-wire"].ClickAsync();
        await page.SaysAsync("ladder", "POST /echo?a=1");
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task An_option_that_makes_no_sense_is_not_sent()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["uri"].FillAsync(world.Coap + "/hello");
        await page["option-add"].ClickAsync();
        await page["option-name"].FillAsync("If-Match");
        await page["option-value"].FillAsync("no digits");
        await page["send"].ClickAsync();

        await Assertions.Expect(page["option-problem"]).ToBeVisibleAsync();
        Assert.Equal(0, await page["answer-code"].CountAsync());
    }

    [Fact]
    [External("chromium")]
    public async Task CBOR_is_written_in_its_notation_and_its_bytes_are_shown_while_typing()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["method"].SelectOptionAsync("POST");
        await page["uri"].FillAsync(world.Coap + "/echo");
        await page["payload-kind-cbor"].CheckAsync(new LocatorCheckOptions { Force = true });
        await page["payload-text"].FillAsync("{1: h'00ff'}");
        await page.SaysAsync("payload-preview", "a1");
        await page["send"].ClickAsync();

        await page.SaysAsync("view-cbor", "{1: h'00ff'}");
        await Assertions.Expect(page["view-cbor"]).ToBeVisibleAsync();
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task Numbers_in_JSON_are_shown_as_they_were_sent()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["method"].SelectOptionAsync("POST");
        await page["uri"].FillAsync(world.Coap + "/echo");
        await page["payload-kind-json"].CheckAsync(new LocatorCheckOptions { Force = true });
        await page["payload-text"].FillAsync("[5.0,1e400,-0,9007199254740993,0.1,7]");
        await page["send"].ClickAsync();

        await page.SaysAsync("json-tree", "7");
        Assert.Equal(
            ["5.0", "1e400", "-0", "9007199254740993", "0.1", "7"], await page["json-tree"].Locator(".json-number").AllTextContentsAsync());
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_resource_with_a_slash_at_the_end_has_a_name_and_its_ETag_is_shown_once()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["tree-filter"].FillAsync("config");
        await page.SaysAsync("tree-count", "2 of");
        Assert.Equal(["config", "config/"], await page["tree"].Locator(".tree-name bdi").AllTextContentsAsync());
        await page["tree"].Locator(".tree-name bdi").GetByText("config/").DblClickAsync();

        await page.SaysAsync("view-text", "with a slash");
        string options = await page["options"].InnerTextAsync();
        Assert.Equal(2, options.Split("0a0b").Length);
    }

    [Fact]
    [External("chromium")]
    public async Task An_error_disappears_when_the_next_input_is_wrong()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coaps + "/hello");
        await page.SaysAsync("alert", "No key");
        await page.SendAsync("GET", world.Coap + "/a b");

        await Assertions.Expect(page["alert"]).ToBeEmptyAsync();
        await Assertions.Expect(page.Page.Locator("#uri-problem")).ToBeVisibleAsync();
    }

    [Fact]
    [External("chromium")]
    public async Task A_phone_begins_with_the_resources_and_shows_the_request_of_the_chosen_one()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address, width: 360, height: 740);
        await page.SaysAsync("tree", "hello");
        await Assertions.Expect(page["tree"]).ToBeVisibleAsync();
        await page["tree"].Locator(".tree-name bdi").GetByText("hello", new LocatorGetByTextOptions { Exact = true }).ClickAsync();

        await Assertions.Expect(page["uri"]).ToBeVisibleAsync();
        Assert.Equal("/hello", await page["uri"].InputValueAsync());
    }

    [Fact]
    [External("chromium")]
    public async Task SenML_is_a_table()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/senml");

        await page.SaysAsync("answer", "urn:dev:1:temp");
        await page.SaysAsync("answer", "Cel");
        await page.SaysAsync("answer", "21.5");
    }

    [Fact]
    [External("chromium")]
    public async Task The_messages_are_a_ladder_whose_bytes_explain_themselves()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/hello");
        await page.SaysAsync("answer-code", "2.05");
        await page["tab-wire"].ClickAsync();

        await Assertions.Expect(page["wire-message"]).ToHaveCountAsync(2);
        await page["wire-message"].First.ClickAsync();
        await page["byte"].First.HoverAsync();
        await page.SaysAsync("byte-explanation", "Version 1");
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task Nothing_can_be_typed_until_the_page_has_started_and_would_not_replace_it()
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
    [External("chromium")]
    public async Task An_observation_shows_the_newest_value_draws_it_and_is_exported()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["uri"].FillAsync(world.Coap + "/count");
        await page["observe"].ClickAsync();
        await page.SaysAsync("observe-state", "Observing");
        for (int i = 0; i < 5; i++)
        {
            world.Increase();
            await page.SaysAsync("observe-value", $"{world.Count}");
        }

        await page["observe-pause"].ClickAsync();
        int paused = world.Count;
        world.Increase();
        await page.SaysAsync("observe-counts", "paused");
        await Assertions.Expect(page["observe-value"]).ToContainTextAsync($"{paused}");
        await page["observe-pause"].ClickAsync();
        await page.SaysAsync("observe-value", $"{world.Count}");
        Assert.True(await page["plot"].Locator("canvas").CountAsync() > 0);
        IDownload csv = await page.Page.RunAndWaitForDownloadAsync(() => page["observe-csv-values"].ClickAsync());
        string text = await ReadAsync(csv);
        Assert.Contains($"{world.Count}", text, StringComparison.Ordinal);
        await page["observe-stop"].ClickAsync();
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_file_goes_up_and_comes_down_as_it_was()
    {
        byte[] file = new byte[200_000];
        new Random(2).NextBytes(file);
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["method"].SelectOptionAsync("PUT");
        await page["uri"].FillAsync(world.Coap + "/file");
        await page["payload-kind-file"].CheckAsync(new LocatorCheckOptions { Force = true });
        await page["payload-file"].SetInputFilesAsync(
            new FilePayload { Name = "firmware.bin", MimeType = "application/octet-stream", Buffer = file });
        await page["send"].ClickAsync();
        await page.SaysAsync("answer-code", "2.04");
        Assert.Equal(file, world.File);

        await page["payload-kind-none"].CheckAsync(new LocatorCheckOptions { Force = true });
        await page.SendAsync("GET", world.Coap + "/file");
        await page.SaysAsync("answer-code", "2.05");
        IDownload download = await page.Page.RunAndWaitForDownloadAsync(() => page["payload-download"].ClickAsync());
        Assert.Equal(file, await File.ReadAllBytesAsync(await download.PathAsync()));
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_download_is_cancelled_and_goes_on_where_it_was()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/slow");
        await Assertions.Expect(page["progress"]).ToContainTextAsync(TensOfKilobytes());
        await page["cancel"].ClickAsync();
        await Assertions.Expect(page["resume"]).ToBeVisibleAsync();
        world.LetGo();
        await page["resume"].ClickAsync();

        await page.SaysAsync("answer-code", "2.05");
        IDownload download = await page.Page.RunAndWaitForDownloadAsync(() => page["payload-download"].ClickAsync());
        Assert.Equal(ExplorerWorld.SlowBody, await File.ReadAllBytesAsync(await download.PathAsync()));
    }

    [Fact]
    [External("chromium")]
    public async Task The_request_is_written_as_code()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/hello");
        await page["tab-code"].ClickAsync();

        await page.SaysAsync("code", "coap get");
        await page.SaysAsync("code", "coap-client");
        await page.SaysAsync("code", "CoapMethod.Get");
    }

    [Fact]
    [External("chromium")]
    public async Task What_goes_wrong_is_said_with_what_to_do()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["uri"].FillAsync("coap://127.0.0.1:1/x");
        await page["timeout"].FillAsync("0.5");
        await page["send"].ClickAsync();

        await Assertions.Expect(page["alert"]).ToBeVisibleAsync();
        await page.SaysAsync("alert-hint", "port");
        Assert.Empty(page.Complaints);
    }

    [Fact]
    [External("chromium")]
    public async Task A_session_is_opened_by_a_profile_and_by_a_key_that_is_typed_in()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["open-security"].ClickAsync();
        await page["security-profile"].First.CheckAsync();
        await page["security-apply"].ClickAsync();
        await page.SendAsync("GET", world.Coaps + "/hello");
        await page.SaysAsync("view-text", "whoever has the key");

        await page["open-security"].ClickAsync();
        await page["security-psk"].CheckAsync();
        await page["psk-identity"].FillAsync(ExplorerWorld.Psk.Split(':')[0]);
        await page["psk-key"].FillAsync(ExplorerWorld.Psk.Split(':')[1]);
        await page["security-apply"].ClickAsync();
        await page.SendAsync("GET", world.Coaps + "/hello");
        await page.SaysAsync("view-text", "whoever has the key");
        string kept = await page.Page.EvaluateAsync<string>("JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage })");
        Assert.DoesNotContain(ExplorerWorld.Psk.Split(':')[1], kept, StringComparison.Ordinal);
    }

    [Fact]
    [External("chromium")]
    public async Task Two_tabs_do_not_disturb_each_other()
    {
        await using BrowserPage one = await chromium.OpenAsync(Address);
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
    [External("chromium")]
    public async Task A_bookmark_and_the_history_are_there_after_the_page_was_loaded_again()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SaysAsync("tree", "hello");
        await page["bookmark"].ClickAsync();
        await page.SendAsync("GET", world.Coap + "/hello");
        await page.SaysAsync("answer-code", "2.05");
        await page.Page.ReloadAsync();
        await page.SaysAsync("tree", "hello");

        await page["open-bookmarks"].ClickAsync();
        await page.SaysAsync("bookmark-entry", world.Coap);
        await page.Page.Keyboard.PressAsync("Escape");
        await page["open-history"].ClickAsync();
        await page.SaysAsync("history-list", "/hello");
    }

    [Fact]
    [External("chromium")]
    public async Task Without_the_token_the_page_says_what_is_missing()
    {
        await using BrowserPage page = await chromium.OpenAsync(new Uri(Address.GetLeftPart(UriPartial.Path)));

        await page.SaysAsync("alert", "token");
    }

    [Fact]
    [External("chromium")]
    public async Task On_a_phone_nothing_stands_beside_the_page()
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
    [External("chromium")]
    public async Task Every_control_has_a_name_for_a_screen_reader()
    {
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page.SendAsync("GET", world.Coap + "/hello");
        await page.SaysAsync("answer-code", "2.05");

        string[] nameless = await page.Page.EvaluateAsync<string[]>("""
            [...document.querySelectorAll('button, input, select, textarea')]
                .filter(e => !(e.labels?.length || e.getAttribute('aria-label') || e.getAttribute('aria-labelledby')
                    || e.textContent.trim()))
                .map(e => e.outerHTML.slice(0, 120))
            """);
        Assert.Empty(nameless);
    }

    [Fact]
    [External("chromium")]
    public async Task A_server_that_goes_away_in_the_middle_is_told()
    {
        CoapServer passing = new();
        passing.MapGet("/state", static _ => CoapResults.Text("1")).Observable();
        passing.Listen("coap+tcp://127.0.0.1:0");
        await passing.StartAsync();
        await using BrowserPage page = await chromium.OpenAsync(Address);
        await page["uri"].FillAsync(passing.LocalEndpoints[0] + "/state");
        await page["observe"].ClickAsync();
        await page.SaysAsync("observe-state", "Observing");

        await passing.DisposeAsync();

        await Assertions.Expect(page["observe-state"]).Not.ToContainTextAsync("Observing", new() { Timeout = 30_000 });
        Assert.Empty(page.Complaints);
    }

    [GeneratedRegex(@"Download: \d\d(\.\d)? K")]
    private static partial Regex TensOfKilobytes();

    private static async Task<string> ReadAsync(IDownload download) =>
        Encoding.UTF8.GetString(await File.ReadAllBytesAsync(await download.PathAsync()));
}
