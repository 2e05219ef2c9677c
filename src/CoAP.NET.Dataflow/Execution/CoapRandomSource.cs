using System.Buffers.Binary;

namespace CoAP.NET;

/// <summary>
/// Where tokens, Message IDs, jitter and keys come from. Injected, so that a run can be replayed from a seed. Safe for several threads.
/// </summary>
public abstract class CoapRandomSource
{
    /// <summary>The operating system's cryptographic generator. The default everywhere.</summary>
    public static CoapRandomSource Secure { get; } = new SecureRandomSource();

    /// <summary>Fills a span with random bytes.</summary>
    /// <param name="destination">The span.</param>
    public abstract void Fill(Span<byte> destination);

    /// <summary>A random number of 64 bits.</summary>
    /// <returns>The number.</returns>
    public ulong NextUInt64()
    {
        Span<byte> bytes = stackalloc byte[8];
        Fill(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }

    /// <summary>A random number from 0 up to, but not including, 1.</summary>
    /// <returns>The number.</returns>
    public double NextDouble() => (NextUInt64() >> 11) * (1.0 / (1UL << 53));
}
