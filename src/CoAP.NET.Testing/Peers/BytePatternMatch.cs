namespace CoAP.NET.Testing;

/// <summary>How bytes compare with a <see cref="BytePattern"/>.</summary>
public sealed class BytePatternMatch
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

    /// <summary>Whether they match.</summary>
    public bool IsMatch { get; }

    /// <summary>The first byte that differs; -1 when they match.</summary>
    public int Offset { get; }

    /// <summary>Why they differ, for people; empty when they match.</summary>
    public string Reason { get; }

    /// <summary>What was captured, by name; empty when they differ.</summary>
    public IReadOnlyDictionary<string, byte[]> Captures { get; }
}
