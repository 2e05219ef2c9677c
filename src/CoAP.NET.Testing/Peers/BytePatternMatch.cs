namespace CoAP.NET.Testing.Peers;

/// <summary>The result of comparing bytes with a <see cref="DatagramBytePattern"/>.</summary>
internal sealed class BytePatternMatch
{
    internal BytePatternMatch(IReadOnlyDictionary<string, byte[]> captures)
    {
        IsMatch = true;
        Offset = -1;
        Reason = string.Empty;
        Captures = captures;
    }

    internal BytePatternMatch(int offset, string reason)
    {
        Offset = offset;
        Reason = reason;
        Captures = new Dictionary<string, byte[]>();
    }

    /// <summary>Whether the bytes match.</summary>
    public bool IsMatch { get; }

    /// <summary>The first byte that differs; -1 when they match.</summary>
    public int Offset { get; }

    /// <summary>The diagnostic reason of the difference; empty for a match.</summary>
    public string Reason { get; }

    /// <summary>The captures by name; empty for a mismatch.</summary>
    public IReadOnlyDictionary<string, byte[]> Captures { get; }
}
