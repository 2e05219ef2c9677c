namespace CoAP.NET.Edhoc;

/// <summary>An item of external authorization data (RFC 9528 section 3.8).</summary>
/// <param name="Label">The registered number, 1 to 65,535; 0 is padding.</param>
/// <param name="IsCritical">Whether a peer that does not know the label has to end the session.</param>
/// <param name="Value">The value; null for none.</param>
internal sealed record EdhocEad(int Label, bool IsCritical, ReadOnlyMemory<byte>? Value)
{
    public const int MaxLabel = ushort.MaxValue;

    /// <summary>Creates padding, which receivers ignore (section 3.8.1).</summary>
    /// <param name="length">Length of the value in bytes; 0 or more.</param>
    /// <returns>The item.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The length is negative.</exception>
    public static EdhocEad Padding(int length)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(length);
        return new EdhocEad(0, false, new byte[length]);
    }
}
