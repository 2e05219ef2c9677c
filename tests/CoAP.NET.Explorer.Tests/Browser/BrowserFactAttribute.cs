namespace CoAP.NET.Explorer.Tests.Browser;

/// <summary>
/// A test in a real browser, which is the Chromium of the system. It is skipped where there is none, unless <c>COAP_BROWSER</c> says
/// <c>required</c>, as in CI.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserFactAttribute : FactAttribute
{
    /// <param name="program">A program that it needs besides; null for none.</param>
    public BrowserFactAttribute(string? program = null)
    {
        if (Environment.GetEnvironmentVariable("COAP_BROWSER") == "required")
        {
            return;
        }

        if (Chromium.Path is null)
        {
            Skip = "There is no Chromium; install it, or set CHROMIUM to its path.";
        }
        else if (program is not null && !(Environment.GetEnvironmentVariable("PATH") ?? "").Split(Path.PathSeparator)
            .Any(folder => File.Exists(Path.Combine(folder, program))))
        {
            Skip = $"{program} is not installed.";
        }
    }
}
