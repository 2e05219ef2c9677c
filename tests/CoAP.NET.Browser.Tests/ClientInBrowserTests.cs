using CoAP.NET.Tests.Browser;
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
    public async Task All_features_of_a_client_work_on_the_single_thread_of_a_page(string check) => await CheckAsync(check, page.Plain);

    [Theory]
    [InlineData("requests")]
    [InlineData("observation")]
    [InlineData("reconnection")]
    public async Task A_page_loaded_over_HTTPS_uses_TLS(string check) => await CheckAsync(check, page.Secure);

    [Fact]
    public async Task The_browser_resolves_the_name_of_the_server() =>
        await CheckAsync("requests", new UriBuilder(page.Plain) { Host = "localhost" }.Uri);

    private async Task CheckAsync(string check, Uri server)
    {
        string scheme = server.Scheme == Uri.UriSchemeHttps ? "coaps+ws" : "coap+ws";
        string uri = Uri.EscapeDataString($"{scheme}://{server.Authority}");
        await using BrowserPage opened = await chromium.OpenAsync(new Uri(server, $"?arg={check}&arg={uri}"));
        ILocator said = opened["said"];
        await Assertions.Expect(said).Not.ToBeEmptyAsync(new LocatorAssertionsToBeEmptyOptions { Timeout = BrowserPage.HangMilliseconds });
        Assert.Equal("ok", await said.InnerTextAsync());
        if (check != "absent")
        {
            Assert.Empty(opened.Complaints);
        }
    }
}
