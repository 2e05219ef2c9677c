using System.Diagnostics;

namespace CoAP.NET.Explorer.Tests.Exploring;

/// <summary>The page looking at a server of another implementation: libcoap's example server, whose clock can be observed.</summary>
public sealed class LibcoapBrowserTests(Chromium chromium) : IClassFixture<Chromium>
{
    private const string Program = "coap-server-notls";

    [Fact]
    [External("chromium", Program)]
    public async Task The_time_resource_of_libcoap_is_discovered_requested_observed_and_plotted()
    {
        int port = LoopbackPort.FindFree();
        ProcessStartInfo start = new(Program, ["-A", "127.0.0.1", "-p", $"{port}"]) { UseShellExecute = false };
        using Process server = Process.Start(start)!;
        try
        {
            CoapUri device = new($"coap://127.0.0.1:{port}");
            await using CoapLocalExplorer explorer = await CoapLocalExplorer.StartAsync(options => options.FirstTarget = device);
            await using BrowserPage page = await chromium.OpenAsync(explorer.Address);
            await page.SaysAsync("tree", "time");
            await page.SendAsync("GET", device.Resolve("/time").ToString());
            await page.SaysAsync("answer-code", "2.05");
            await page["tab-wire"].ClickAsync();
            await Assertions.Expect(page["wire-message"]).ToHaveCountAsync(2);

            await page["uri"].FillAsync("/time?ticks");
            await page["observe"].ClickAsync();
            await page.SaysAsync("observe-state", "Observing");
            await Assertions.Expect(page["notification"].Nth(4)).ToBeVisibleAsync(new() { Timeout = 30_000 });
            await page.ShootAsync("explorer-libcoap.png");
            await page["observe-stop"].ClickAsync();
            Assert.Empty(page.Complaints);
        }
        finally
        {
            server.Kill();
            await server.WaitForExitAsync();
        }
    }
}
