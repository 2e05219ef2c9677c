namespace CoAP.NET.Explorer.Tests.Browser;

/// <summary>
/// A test in a real browser, which is the Chromium of the system. It is skipped where there is none, unless <c>COAP_BROWSER</c> says
/// <c>required</c>, as in CI.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserFactAttribute : FactAttribute
{
    public BrowserFactAttribute()
    {
        if (Chromium.Path is null && Environment.GetEnvironmentVariable("COAP_BROWSER") != "required")
        {
            Skip = "There is no Chromium; install it, or set CHROMIUM to its path.";
        }
    }
}
