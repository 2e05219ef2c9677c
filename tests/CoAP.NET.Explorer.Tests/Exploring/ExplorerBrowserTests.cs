using CoAP.NET.Explorer.Tests.Browser;
using Microsoft.Playwright;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The page in a real browser, looking at a real server.</summary>
public sealed class ExplorerBrowserTests(ExplorerWorld world, Chromium chromium)
    : IClassFixture<ExplorerWorld>, IClassFixture<Chromium>
{
    [BrowserFact]
    public async Task A_request_of_the_tree_shows_its_answer()
    {
        await using BrowserPage page = await chromium.OpenAsync(world.Explorer.Address);
        await page.SaysAsync("tree", "hello");
        await page.SendAsync("GET", world.Coap + "/hello");

        await page.SaysAsync("answer", "hello world!");
        await page.SaysAsync("answer", "2.05");
        await page.Page.ScreenshotAsync(new PageScreenshotOptions { Path = "/tmp/h/shot1.png" });
        Assert.Empty(page.Complaints);
    }
}
