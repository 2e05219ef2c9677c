using System.Buffers.Binary;
using CoAP.NET.Limits;

namespace CoAP.NET;

/// <summary>The source of tokens, Message IDs, jitter and keys. Thread-safe.</summary>
/// <remarks>It is injected, so a run can be replayed from a seed.</remarks>
public abstract class CoapRandomSource
{
    /// <summary>The cryptographic generator of the operating system. The default everywhere.</summary>
    public static CoapRandomSource Secure { get; } = new SecureRandomSource();

    /// <summary>Fills a span with random bytes.</summary>
    /// <param name="destination">The span.</param>
    public abstract void Fill(Span<byte> destination);

    /// <summary>Returns a random number of 64 bits.</summary>
    /// <returns>The number.</returns>
    public ulong NextUInt64()
    {
        Span<byte> bytes = stackalloc byte[8];
        Fill(bytes);
        return BinaryPrimitives.ReadUInt64LittleEndian(bytes);
    }

    /// <summary>Returns a random number of at least 0 and less than 1.</summary>
    /// <returns>The number.</returns>
    public double NextDouble() => (NextUInt64() >> 11) * (1.0 / (1UL << 53));
}
