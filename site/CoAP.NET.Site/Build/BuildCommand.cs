using CoAP.NET.Site.Pages;

namespace CoAP.NET.Site.Build;

/// <summary>Makes the whole site: pages, reference, HTML.</summary>
internal static class BuildCommand
{
    /// <summary>Where the pages wait for VitePress.</summary>
    public static string Staged { get; } = Path.Combine(Repository.Root, "site", ".pages");

    /// <summary>Where the built site is.</summary>
    public static string Output { get; } = Path.Combine(Repository.Root, "artifacts", "site");

    /// <summary>Makes the site.</summary>
    /// <returns>0, or 1 when comments of the libraries refer to what does not exist.</returns>
    /// <exception cref="InvalidOperationException">Node.js is absent, or a step failed.</exception>
    public static int Run()
    {
        long begin = TimeProvider.System.GetTimestamp();
        NodeTools.Check();
        bool isWhole = new Staging(Repository.Root, Staged).Run();
        string site = Path.Combine(Repository.Root, "site");
        NodeTools tools = new(site);
        if (!IsInstalled(site))
        {
            tools.Run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
        }

        tools.Run("node", Path.Combine("node_modules", "vitepress", "bin", "vitepress.js"), "build");
        Console.WriteLine($"site: {Output}, made in {TimeProvider.System.GetElapsedTime(begin).TotalSeconds:F0} s");
        return isWhole ? 0 : 1;
    }

    // npm writes this file last.
    private static bool IsInstalled(string site)
    {
        FileInfo installed = new(Path.Combine(site, "node_modules", ".package-lock.json"));
        return installed.Exists && installed.LastWriteTimeUtc >= File.GetLastWriteTimeUtc(Path.Combine(site, "package-lock.json"));
    }
}
