namespace CoAP.NET.Package.Tests.Packages;

/// <summary>The tool as users install it.</summary>
internal static class CoapTool
{
    /// <summary>Installs the packed tool beside the feed.</summary>
    /// <returns>The program.</returns>
    public static async Task<string> InstallAsync(PackedFeed feed)
    {
        string path = Path.Combine(feed.Root, "tools");
        await Tool.RunAsync(feed.Root, "dotnet",
            ["tool", "install", "CoAP.NET.Cli", "--tool-path", path, "--version", feed.Version, "--configfile",
                Path.Combine(feed.Root, "nuget.config")]);
        return Path.Combine(path, OperatingSystem.IsWindows() ? "coap.exe" : "coap");
    }

    /// <summary>The address in a line of the log.</summary>
    public static string Address(string line) => line[line.LastIndexOf("coap", Ordinal)..].TrimEnd('.', '\r');
}
