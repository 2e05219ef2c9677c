namespace CoAP.NET.Site.Links;

/// <summary>Checks the built site.</summary>
internal static class LinksCommand
{
    /// <summary>Prints what is wrong.</summary>
    /// <param name="folder">The folder of the site.</param>
    /// <returns>0, or 1 when something is wrong.</returns>
    public static int Run(string folder)
    {
        if (!File.Exists(Path.Combine(folder, "index.html")))
        {
            Console.Error.WriteLine($"links: {folder} holds no site. Build it first: \"build\".");
            return 1;
        }

        BuiltSite site = new(folder, Environment.GetEnvironmentVariable("SITE_BASE") ?? "/");
        string[] faults = [.. site.Faults().Distinct().Order(StringComparer.Ordinal)];
        foreach (string fault in faults)
        {
            Console.Error.WriteLine($"links: {fault}");
        }

        Console.WriteLine($"links: {site.Pages} pages, {site.Checked} links and resources, {faults.Length} faults");
        return faults.Length == 0 ? 0 : 1;
    }
}
