using CoAP.NET.Site;
using CoAP.NET.Site.Build;
using CoAP.NET.Site.Links;
using CoAP.NET.Site.Pages;
using CoAP.NET.Site.Reference;

try
{
    return args switch
    {
        ["build"] => BuildCommand.Run(),
        ["reference", string folder] => ReferenceCommand.Run(folder).Unresolved.Count == 0 ? 0 : 1,
        ["links"] => LinksCommand.Run(BuildCommand.Output),
        ["mesh"] => MeshCommand.Run(),
        ["stage"] => new Staging(Repository.Root, BuildCommand.Staged).Run() ? 0 : 1,
        _ => Usage(),
    };
}
catch (Exception error) when (error is InvalidOperationException or InvalidDataException or IOException)
{
    Console.Error.WriteLine(error.Message);
    return 1;
}

static int Usage()
{
    Console.Error.WriteLine(
        """
        Makes the site. Runs from within the repository.

          build                   makes the whole site in artifacts/site; needs Node.js and npm
          links                   checks the built site: links, anchors, pictures, and that it loads nothing from other hosts
          mesh                    draws docs/images/mesh.svg from the wiring of a shard
          stage                   writes the pages that VitePress reads, without Node.js
          reference FOLDER        writes the reference of the libraries as Markdown
        """);
    return 2;
}
