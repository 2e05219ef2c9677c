namespace CoAP.NET.Site.Reference;

/// <summary>Writes the reference as Markdown.</summary>
internal static class ReferenceCommand
{
    /// <summary>Writes all pages, and says which references of comments name nothing.</summary>
    /// <param name="folder">The folder that gets <c>reference/</c>.</param>
    /// <returns>The pages.</returns>
    public static ReferencePages Run(string folder)
    {
        ReferencePages pages = new(Library.Load(ShippedPackage.All(Repository.Root)));
        foreach ((string address, string text) in pages.Pages)
        {
            string file = Path.Combine(folder, address.TrimStart('/'));
            Directory.CreateDirectory(Path.GetDirectoryName(file)!);
            File.WriteAllText(file, text);
        }

        Console.WriteLine($"reference: {pages.Pages.Count} pages");
        foreach (string id in pages.Unresolved)
        {
            Console.Error.WriteLine($"reference: a comment refers to {id}, which does not exist. Correct its cref.");
        }

        return pages;
    }
}
