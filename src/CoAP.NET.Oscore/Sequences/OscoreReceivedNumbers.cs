using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore;

/// <summary>The received sequence numbers of a peer: a stored replay window (RFC 8613 section 7.4).</summary>
public sealed class OscoreReceivedNumbers
{
    private readonly byte[] _seen;

    /// <summary>Creates an instance.</summary>
    /// <param name="next">The highest received number plus one; 0 for none; at most 2^40.</param>
    /// <param name="seen">
    /// A bit for each of the numbers below, from the highest down, the lowest bit of a byte first: 1 for a received one. At most 512 bytes;
    /// copied. Older numbers count as received.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">One of the arguments is larger.</exception>
    public OscoreReceivedNumbers(ulong next, ReadOnlySpan<byte> seen)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(next, OscoreSequence.End);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(seen.Length, OscoreParameters.MaxWindowSize / 8, nameof(seen));
        Next = next;
        _seen = seen.ToArray();
    }

    /// <summary>The highest received number plus one; 0 for none.</summary>
    public ulong Next { get; }

    /// <summary>A bit for each of the numbers below <see cref="Next"/>, from the highest down, the lowest bit of a byte first.</summary>
    public ReadOnlyMemory<byte> Seen => _seen;

    /// <summary>Whether a number was received, or is too old to know.</summary>
    /// <returns>True if so.</returns>
    internal bool Contains(ulong number)
    {
        if (number >= Next)
        {
            return false;
        }

        ulong age = Next - 1 - number;
        return age / 8 >= (ulong)_seen.Length || (_seen[age / 8] & (1 << (int)(age % 8))) != 0;
    }
}
