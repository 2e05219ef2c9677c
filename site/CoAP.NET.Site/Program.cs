using CoAP.NET.Site.Prose;
using CoAP.NET.Site.Reference;

return args switch
{
    ["readability", .. string[] pages] => ReadabilityCommand.Run(pages),
    ["reference", string folder] => ReferenceCommand.Run(folder).Unresolved.Count == 0 ? 0 : 1,
    _ => Usage(),
};

static int Usage()
{
    Console.Error.WriteLine(
        """
        Makes what the site shows, and measures its pages. Runs from within the repository.

          readability [PAGE...]   length of sentences and share of passive voice for each page, or for those named
        """);
    return 2;
}
