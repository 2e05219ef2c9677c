namespace CoAP.NET.Content.Cbor;

/// <summary>How an item of CBOR becomes JSON at one place of a document.</summary>
/// <param name="Depth">How deep arrays, maps and tags may still lie in each other.</param>
/// <param name="Expected">The tag that says which text byte strings become (RFC 8949 section 3.4.5.2).</param>
internal readonly record struct CborToJsonRules(int Depth, ulong Expected)
{
    /// <summary>
    /// Whether somebody else reads the JSON: then integers beyond 64 bits are texts, as RFC 8949 section 6.1 says, and no key may stand
    /// there twice.
    /// </summary>
    public bool IsForOthers { get; init; }

    /// <summary>How many bytes of JSON there may be.</summary>
    public int MaxSize { get; init; } = int.MaxValue;

    /// <summary>The rules one level deeper.</summary>
    public CborToJsonRules Inside() => this with { Depth = Depth - 1 };
}
