namespace CoAP.NET.Files;

/// <summary>The kinds of entries in a directory.</summary>
internal enum FileKind
{
    /// <summary>No entry has this name.</summary>
    None,

    /// <summary>A file with bytes on a disk.</summary>
    Regular,

    Directory,

    /// <summary>A symbolic link.</summary>
    Link,

    /// <summary>A device, a pipe or a socket.</summary>
    Special,
}
