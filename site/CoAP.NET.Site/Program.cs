using CoAP.NET.Site.Prose;

return args switch
{
    ["readability", .. string[] pages] => ReadabilityCommand.Run(pages),
    _ => Usage(),
};

static int Usage()
{
    Console.Error.WriteLine(
        """
        Makes what the site shows, and measures its pages. Runs from within the repository.

          readability [PATH...]   length of sentences and share of passive voice for each page, or for the pages, C# files and folders named
        """);
    return 2;
}
