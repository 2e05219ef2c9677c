using System.Collections.Concurrent;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>
/// The system's Chromium with one page. What the page complains of, such as of scripts that its policy forbids, is kept.
/// </summary>
internal sealed class DashboardBrowser : IAsyncDisposable
{
    private readonly IPlaywright _playwright;
    private readonly IBrowser _browser;

    private DashboardBrowser(IPlaywright playwright, IBrowser browser, IPage page)
    {
        _playwright = playwright;
        _browser = browser;
        Page = page;
        page.Console += (_, message) =>
        {
            if (message.Type is "error" or "warning")
            {
                Complaints.Enqueue(message.Text);
            }
        };
        page.PageError += (_, error) => Complaints.Enqueue(error);
        page.Dialog += (_, dialog) => Complaints.Enqueue("a dialog: " + dialog.Message);
    }

    public IPage Page { get; }

    public ConcurrentQueue<string> Complaints { get; } = new();

    /// <summary>Opens a page.</summary>
    /// <param name="width">Its width in pixels.</param>
    /// <param name="scheme">Light or dark.</param>
    public static async Task<DashboardBrowser> OpenAsync(int width = 1280, ColorScheme scheme = ColorScheme.Light)
    {
        IPlaywright playwright = await Playwright.CreateAsync();
        IBrowser browser = await playwright.Chromium.LaunchAsync(
            new BrowserTypeLaunchOptions { ExecutablePath = Chromium.Path, Args = ["--no-sandbox"] });
        IPage page = await browser.NewPageAsync(new BrowserNewPageOptions
        {
            ViewportSize = new ViewportSize { Width = width, Height = 900 },
            ColorScheme = scheme,
        });
        return new DashboardBrowser(playwright, browser, page);
    }

    /// <summary>Waits until something on the page is true. Its policy lets no text be evaluated later, so that the page looks
    /// itself, each time that something on it changes.</summary>
    /// <param name="condition">An expression of JavaScript.</param>
    /// <exception cref="TimeoutException">It never was.</exception>
    public Task UntilAsync(string condition) => Page.EvaluateAsync($$"""
        new Promise(resolve => {
          const observer = new MutationObserver(() => check());
          const check = () => {
            if ({{condition}}) {
              observer.disconnect();
              resolve();
            }
          };
          observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
          check();
        })
        """).WaitAsync(DashboardSite.Hang);

    public async ValueTask DisposeAsync()
    {
        await _browser.DisposeAsync();
        _playwright.Dispose();
    }
}
