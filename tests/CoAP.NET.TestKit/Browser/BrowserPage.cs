using System.Collections.Concurrent;
using Microsoft.Playwright;

namespace CoAP.NET.Tests.Browser;

/// <summary>A page in the browser, and what its console said.</summary>
public sealed class BrowserPage : IAsyncDisposable
{
    public const int HangMilliseconds = 120_000;

    private readonly IBrowserContext _context;
    private readonly ConcurrentQueue<string> _complaints = new();

    public BrowserPage(IBrowserContext context, IPage page)
    {
        (_context, Page) = (context, page);
        page.Console += (_, message) =>
        {
            // A call that the server refuses is shown on the page, and the browser says so besides.
            if (message.Type is "error" or "warning" && !message.Text.StartsWith("Failed to load resource", Ordinal))
            {
                _complaints.Enqueue(message.Text);
            }
        };
        page.PageError += (_, error) => _complaints.Enqueue(error);
        page.Dialog += (_, dialog) => _complaints.Enqueue("dialog: " + dialog.Message);
    }

    public IPage Page { get; }

    /// <summary>Errors of scripts, refusals by the content security policy, dialogs.</summary>
    public IReadOnlyCollection<string> Complaints => _complaints;

    public ILocator this[string testId] => Page.GetByTestId(testId);

    public async ValueTask DisposeAsync() => await _context.DisposeAsync();

    /// <summary>Waits until the page can be used.</summary>
    public Task StartedAsync() => Page.Locator("body:not([inert])").WaitForAsync();

    /// <summary>Waits until an element has a text.</summary>
    public Task SaysAsync(string testId, string text) =>
        Assertions.Expect(this[testId]).ToContainTextAsync(text, new LocatorAssertionsToContainTextOptions { Timeout = HangMilliseconds });

    /// <summary>Sends a request of the editor.</summary>
    public async Task SendAsync(string method, string uri)
    {
        await this["method"].SelectOptionAsync(method);
        await this["uri"].FillAsync(uri);
        await this["send"].ClickAsync();
    }

    /// <summary>Takes a picture of the page for the documentation, which is written with <c>COAP_WRITE_DOCS=1</c>.</summary>
    public async Task ShootAsync(string name)
    {
        byte[] picture = await Page.ScreenshotAsync();
        Assert.NotEmpty(picture);
        if (Environment.GetEnvironmentVariable("COAP_WRITE_DOCS") == "1")
        {
            await File.WriteAllBytesAsync(Path.Combine(Repository.Root, "docs", "images", name), picture);
        }
    }

    /// <summary>Keeps a picture of the whole page in the folder that the variable <c>COAP_SCREENSHOTS</c> names.</summary>
    public static async Task KeepAsync(IPage page, string name)
    {
        if (Environment.GetEnvironmentVariable("COAP_SCREENSHOTS") is { Length: > 0 } folder)
        {
            await page.ScreenshotAsync(new PageScreenshotOptions { Path = Path.Combine(folder, name + ".png"), FullPage = true });
        }
    }
}
