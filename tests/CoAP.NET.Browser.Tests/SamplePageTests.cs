using CoAP.NET.Tests.Browser;

namespace CoAP.NET.Browser.Tests;

/// <summary>samples/Browser as somebody publishes it: a server, and a trimmed page of Blazor.</summary>
[External("dotnet", "chromium")]
public sealed class SamplePageTests(Chromium chromium) : IClassFixture<Chromium>
{
    [Fact]
    public async Task The_sample_page_observes_the_temperature_and_sets_the_target()
    {
        string folder = Directory.CreateTempSubdirectory("coap-browser-").FullName;
        try
        {
            // What it refers to was built before, and others use it now.
            await Tool.RunAsync(Path.Combine(Repository.Root, "samples", "Browser"), "dotnet",
                ["publish", "-c", "Release", "-p:BuildProjectReferences=false", "-o", folder, "-v:quiet", "-nologo"]);
            using Tool server = Tool.Start(folder, Path.Combine(folder, "Browser"), ["--urls", "http://127.0.0.1:0"]);
            const string Announcement = "the page: ";
            string address = (await server.SaysAsync(Announcement))[Announcement.Length..];
            await using BrowserPage page = await chromium.OpenAsync(new Uri(address));
            await page.SaysAsync("temperature", "21.0 °C");
            await page["target"].FillAsync("23.5");
            await page["set"].ClickAsync();
            await page.SaysAsync("status", "2.04");
            await page.SaysAsync("temperature", "23.5 °C");
            await page["target"].FillAsync("31");
            await page.Page.EvaluateAsync("document.querySelector('form').noValidate = true");
            await page["set"].ClickAsync();
            await page.SaysAsync("status", "A number from 5 to 30, please.");
            Assert.Empty(page.Complaints);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }
}
