namespace CoAP.NET.Cluster.Maps;

/// <summary>
/// Identifies one run of a process in a cluster. A process that starts again is another node, which takes over the slots of the earlier run
/// like those of any dead node.
/// </summary>
/// <param name="Value">16 random bytes; all zeros, the default, means no node.</param>
internal readonly record struct CoapNodeId(Guid Value)
{
    public bool IsSet => Value != Guid.Empty;

    /// <summary>Creates a unique id.</summary>
    /// <param name="random">The source of the bytes; null for the operating system.</param>
    /// <returns>The id.</returns>
    public static CoapNodeId New(CoapRandomSource? random = null)
    {
        Span<byte> bytes = stackalloc byte[16];
        (random ?? CoapRandomSource.Secure).Fill(bytes);
        return new CoapNodeId(new Guid(bytes));
    }

    /// <summary>The first 8 hexadecimal digits, for logs.</summary>
    /// <returns>The text.</returns>
    public override string ToString() => Value.ToString("N")[..8];
}
