// Writes files of packages.
using CoAP.NET.Build;

switch (args)
{
    case ["comments", string assembly, string comments, string output]:
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(output))!);
        PublicComments.Write(assembly, comments, output);
        return 0;

    case ["readme", string page, string output, string folder, string repository]:
        Directory.CreateDirectory(Path.GetDirectoryName(Path.GetFullPath(output))!);
        PackageReadme.Write(page, output, folder, repository);
        return 0;

    default:
        Console.Error.WriteLine("""
            Usage: PackageFiles comments ASSEMBLY COMMENTS OUTPUT
                   PackageFiles readme PAGE OUTPUT FOLDER REPOSITORY
            The first writes the comments of what is public in ASSEMBLY, the second the page that a gallery shows.
            """);
        return 2;
}
