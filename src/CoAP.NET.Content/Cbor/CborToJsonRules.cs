using System.Formats.Cbor;

namespace CoAP.NET.Content.Cbor;

/// <summary>The conversion rules at one place of a CBOR document.</summary>
/// <param name="Depth">The remaining nesting depth of arrays, maps and tags.</param>
/// <param name="Expected">The tag that selects the text for byte strings (RFC 8949 section 3.4.5.2).</param>
internal readonly record struct CborToJsonRules(int Depth, CborTag Expected)
{
    /// <summary>
    /// Whether the JSON is for other readers: integers beyond 64 bits become texts (RFC 8949 section 6.1), and duplicate keys are refused.
    /// </summary>
    public bool IsForOthers { get; init; }

    /// <summary>The maximum number of bytes of JSON.</summary>
    public int MaxSize { get; init; } = int.MaxValue;

    /// <summary>Whether the items are keys and values by turns.</summary>
    public bool IsMap { get; init; }

    /// <summary>The names in a map so far; null if duplicates are allowed.</summary>
    public HashSet<string>? Seen { get; init; }

    /// <summary>Returns the rules inside the next item.</summary>
    public CborToJsonRules Inside(CborReader reader) => Depth > 0
        ? this with { Depth = Depth - 1 }
        : throw reader.Fault($"items are nested more than {CborToJson.MaxDepth} deep");
}
