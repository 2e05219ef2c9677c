namespace CoAP.NET.Cli.Serving;

/// <summary>The target of a request path.</summary>
/// <param name="Kind">Its kind.</param>
/// <param name="FullPath">Its path in the file system; empty if refused.</param>
internal readonly record struct ServedItem(ServedItemKind Kind, string FullPath);
