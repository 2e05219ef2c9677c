using CoAP.NET.Explorer.Tests.Browser;
using Microsoft.Playwright;

namespace CoAP.NET.Browser.Tests;

/// <summary>Our client in a page of Chromium, where it has one thread, no sockets, and no names.</summary>
[External("dotnet", "chromium")]
public sealed class ClientInBrowserTests(PageOfChecks page, Chromium chromium) : IClassFixture<PageOfChecks>, IClassFixture<Chromium>
{
    [Theory]
    [InlineData("requests")]
    [InlineData("bodies")]
    [InlineData("observation")]
    [InlineData("cancellation")]
    [InlineData("ping")]
    [InlineData("reconnection")]
    [InlineData("disposal")]
    [InlineData("serving")]
    [InlineData("many")]
    [InlineData("absent")]
    [InlineData("schemes")]
    [InlineData("options")]
    public async Task Everything_of_a_client_works_on_the_one_thread_of_a_page(string check) => await CheckAsync(check, page.Authority);

    [Fact]
    public async Task The_browser_resolves_the_name_of_the_server() =>
        await CheckAsync("requests", page.Authority.Replace("127.0.0.1", "localhost", StringComparison.Ordinal));

    private async Task CheckAsync(string check, string authority)
    {
        await using BrowserPage opened = await chromium.OpenAsync(new Uri($"http://{authority}/?arg={check}&arg={authority}"));
        ILocator said = opened["said"];
        await Assertions.Expect(said).Not.ToBeEmptyAsync(new LocatorAssertionsToBeEmptyOptions { Timeout = BrowserPage.HangMilliseconds });
        Assert.Equal("ok", await said.InnerTextAsync());
        if (check != "absent")
        {
            Assert.Empty(opened.Complaints);
        }
    }
}
