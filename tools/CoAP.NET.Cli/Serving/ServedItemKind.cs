namespace CoAP.NET.Cli.Serving;

internal enum ServedItemKind
{
    /// <summary>Nothing shared: an invalid name, a link, a device, a pipe, or a hidden file.</summary>
    Refused,

    /// <summary>Nothing, because a folder on the path is missing.</summary>
    NoFolder,

    /// <summary>A free name in a folder.</summary>
    Missing,

    File,

    Folder,
}
