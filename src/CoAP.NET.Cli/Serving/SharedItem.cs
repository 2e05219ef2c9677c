namespace CoAP.NET.Cli.Serving;

/// <summary>What a path of a request leads to, and where that is.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="FullPath">Its path in the file system; empty for what is refused.</param>
internal readonly record struct SharedItem(SharedKind Kind, string FullPath);
