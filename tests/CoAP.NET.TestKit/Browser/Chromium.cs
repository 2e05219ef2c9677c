using Microsoft.Playwright;

namespace CoAP.NET.Tests.Browser;

/// <summary>The browser of the tests, one for all of a class.</summary>
public sealed class Chromium : IAsyncLifetime
{
    private IPlaywright? _playwright;
    private IBrowser? _browser;

    /// <summary>Where it is.</summary>
    /// <exception cref="InvalidOperationException">It is not installed.</exception>
    public static string Path => Environment.GetEnvironmentVariable("CHROMIUM")
        ?? ((string[])["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]).FirstOrDefault(File.Exists)
        ?? throw new InvalidOperationException(
            "Chromium cannot be found. Install it (apt-get install chromium), or set the variable CHROMIUM to its path.");

    public async ValueTask InitializeAsync()
    {
        _playwright = await Playwright.CreateAsync();
        _browser = await _playwright.Chromium.LaunchAsync(new BrowserTypeLaunchOptions
        {
            ExecutablePath = Path,

            // Whoever runs tests in a container is often root.
            Args = ["--no-sandbox", "--disable-gpu"],
        });
    }

    /// <summary>Opens a page in a context of its own, as another user has it.</summary>
    /// <param name="address">The page.</param>
    /// <param name="width">The width of the window.</param>
    /// <param name="height">Its height.</param>
    /// <param name="scheme">Its colours.</param>
    /// <param name="start">Called before the page is loaded, which is then not waited for.</param>
    public async Task<BrowserPage> OpenAsync(
        Uri address, int width = 1280, int height = 800, ColorScheme scheme = ColorScheme.Light, Func<IPage, Task>? start = null)
    {
        IBrowserContext context = await _browser!.NewContextAsync(new BrowserNewContextOptions
        {
            ViewportSize = new ViewportSize { Width = width, Height = height },
            ColorScheme = scheme,
            // Servers of tests have certificates that nobody signed.
            IgnoreHTTPSErrors = true,
            ReducedMotion = ReducedMotion.Reduce,
            Permissions = ["clipboard-read", "clipboard-write"],
        });
        // A browser beside other tests may take long; a page that hangs is told after this.
        context.SetDefaultTimeout(BrowserPage.HangMilliseconds);
        BrowserPage page = new(context, await context.NewPageAsync());
        if (start is not null)
        {
            await start(page.Page);
        }

        await page.Page.GotoAsync(address.AbsoluteUri);
        if (start is null)
        {
            await page.StartedAsync();
        }

        return page;
    }

    public async ValueTask DisposeAsync()
    {
        if (_browser is not null)
        {
            await _browser.DisposeAsync();
        }

        _playwright?.Dispose();
    }
}
