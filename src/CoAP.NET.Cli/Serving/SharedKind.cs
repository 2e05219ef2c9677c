namespace CoAP.NET.Cli.Serving;

/// <summary>What a path of a request leads to.</summary>
internal enum SharedKind
{
    /// <summary>To nothing that is shared: a name that no file may have here, a link, something hidden.</summary>
    Refused,

    /// <summary>To nothing, as a folder on the way is missing.</summary>
    NoFolder,

    /// <summary>To a place in a folder where nothing is.</summary>
    Missing,

    /// <summary>To a file.</summary>
    File,

    /// <summary>To a folder.</summary>
    Folder,
}
