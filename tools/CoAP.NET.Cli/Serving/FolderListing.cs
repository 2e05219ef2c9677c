using System.Globalization;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Files;

namespace CoAP.NET.Cli.Serving;

/// <summary>Folders as links (RFC 6690): each file with its Content-Format and size, each folder with a trailing slash.</summary>
internal sealed class FolderListing(ServedFolderPathMapper paths)
{
    // More than a person reads; the other files are accessible nevertheless.
    private const int MostLinks = 2000;
    private const int DeepestFolder = 32;

    /// <summary>Lists a folder, in order of names.</summary>
    /// <param name="fullPath">The folder.</param>
    /// <param name="uriPath">Its path in a URI, with a trailing slash.</param>
    public IReadOnlyList<CoapLink> Of(string fullPath, string uriPath) => [.. ItemsOf(fullPath).Select(item => LinkOf(item, uriPath))];

    /// <summary>Lists all files and folders, each folder before its content.</summary>
    public IReadOnlyList<CoapLink> OfAll()
    {
        List<CoapLink> links = [new CoapLink("/", new CoapLinkAttribute("ct", "40"), new CoapLinkAttribute("obs"))];
        Add(new DirectoryInfo(paths.Root), "/", links, DeepestFolder);
        return links;
    }

    /// <summary>Returns the segments in URI form, with a slash before each.</summary>
    public static string ToUriPath(IReadOnlyList<string> segments) =>
        segments.Count == 0 ? "/" : string.Concat(segments.Select(segment => "/" + Uri.EscapeDataString(segment)));

    private void Add(DirectoryInfo folder, string uriPath, List<CoapLink> links, int depth)
    {
        foreach (FileSystemInfo item in ItemsOf(folder.FullName))
        {
            if (links.Count >= MostLinks)
            {
                return;
            }

            CoapLink link = LinkOf(item, uriPath);
            links.Add(link);
            if (item is DirectoryInfo inner && depth > 1)
            {
                Add(inner, link.Target, links, depth - 1);
            }
        }
    }

    private FileSystemInfo[] ItemsOf(string fullPath)
    {
        EnumerationOptions options = new()
        {
            AttributesToSkip = FileAttributes.ReparsePoint | FileAttributes.Device,
            IgnoreInaccessible = true
        };
        try
        {
            return [.. new DirectoryInfo(fullPath).EnumerateFileSystemInfos("*", options).Where(item => paths.IsShared(item.Name)
                && !ServedFolderPathMapper.IsSpecial(item.FullName)).Take(MostLinks).OrderBy(item => item.Name, StringComparer.Ordinal)];
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException
            && !DescriptorShortage.IsCauseOf(exception))
        {
            // Removed in the meantime, or not permitted.
            return [];
        }
    }

    private static CoapLink LinkOf(FileSystemInfo item, string uriPath)
    {
        string target = uriPath + Uri.EscapeDataString(item.Name);
        if (item is not FileInfo file)
        {
            return new CoapLink(target + "/", new CoapLinkAttribute("ct", "40"), new CoapLinkAttribute("obs"));
        }

        string format = ContentFormatParser.OfFile(file.Name).Value.ToString(CultureInfo.InvariantCulture);
        return new CoapLink(target, new CoapLinkAttribute("ct", format),
            new CoapLinkAttribute("sz", LengthOf(file).ToString(CultureInfo.InvariantCulture)), new CoapLinkAttribute("obs"));
    }

    private static long LengthOf(FileInfo file)
    {
        try
        {
            return file.Length;
        }
        catch (FileNotFoundException)
        {
            return 0;
        }
    }
}
