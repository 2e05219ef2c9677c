using System.ComponentModel;
using System.Diagnostics;

namespace CoAP.NET.Cli;

internal static class BrowserLauncher
{
    /// <summary>Opens an address in the browser.</summary>
    /// <returns>False if there is apparently none.</returns>
    public static bool TryOpen(Uri address)
    {
        // Without a display there is no browser.
        if (OperatingSystem.IsLinux() && Environment.GetEnvironmentVariable("DISPLAY") is (null or "")
            && Environment.GetEnvironmentVariable("WAYLAND_DISPLAY") is (null or ""))
        {
            return false;
        }

        try
        {
            string location = address.IsFile ? address.LocalPath : address.AbsoluteUri;
            using Process? opened = Process.Start(new ProcessStartInfo(location) { UseShellExecute = true });
            return true;
        }
        catch (Exception exception) when (exception is Win32Exception or PlatformNotSupportedException or InvalidOperationException)
        {
            return false;
        }
    }
}
