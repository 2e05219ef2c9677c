namespace CoAP.NET.Oscore.Protection;

/// <summary>
/// The value of the OSCORE option: the compressed header of the COSE object (RFC 8613 section 6.1).
/// <code>
///    0 1 2 3 4 5 6 7 &lt;---- n bytes ----&gt; &lt;- 1 -&gt; &lt;----- s bytes ------&gt;
///   +-+-+-+-+-+-+-+-+------------------+-------+---------------------+-----------------+
///   |0 0 0|h|k|  n  |  Partial IV      | s     |  kid context        |  kid (if any)   |
///   +-+-+-+-+-+-+-+-+------------------+-------+---------------------+-----------------+
/// </code>
/// Points into the bytes that it was read from.
/// </summary>
internal readonly ref struct OscoreOptionValue
{
    /// <summary>Maximum length of a Partial IV in bytes.</summary>
    public const int MaxPartialIvLength = 5;

    /// <summary>The largest Sender Sequence Number: 2^40 - 1 (RFC 8613 section 7.2.1).</summary>
    public const ulong MaxSequenceNumber = (1UL << 40) - 1;

    private const byte LengthMask = 0b111;
    private const byte HasKidFlag = 0b1000;
    private const byte HasKidContextFlag = 0b1_0000;
    private const byte ReservedFlags = 0b1110_0000;

    /// <summary>The Partial IV, 1 to 5 bytes without leading zeros; empty if there is none.</summary>
    public ReadOnlySpan<byte> PartialIv { get; init; }

    /// <summary>Whether there is a <see cref="Kid"/>, which may be empty.</summary>
    public bool HasKid { get; init; }

    /// <summary>The Sender ID of the sender.</summary>
    public ReadOnlySpan<byte> Kid { get; init; }

    /// <summary>Whether there is a <see cref="KidContext"/>, which may be empty.</summary>
    public bool HasKidContext { get; init; }

    /// <summary>The ID Context, 0 to 255 bytes.</summary>
    public ReadOnlySpan<byte> KidContext { get; init; }

    public bool HasPartialIv => !PartialIv.IsEmpty;

    /// <summary>The Partial IV as a number.</summary>
    public ulong SequenceNumber
    {
        get
        {
            ulong number = 0;
            foreach (byte b in PartialIv)
            {
                number = (number << 8) | b;
            }

            return number;
        }
    }

    /// <summary>The length of the value in bytes; 0 if it is empty.</summary>
    public int Length =>
        !HasPartialIv && !HasKid && !HasKidContext
            ? 0
            : 1 + PartialIv.Length + (HasKidContext ? 1 + KidContext.Length : 0) + (HasKid ? Kid.Length : 0);

    /// <summary>Reads a value. Reserved bits, reserved lengths, missing and superfluous bytes are errors (RFC 8613 section 6.1).</summary>
    /// <param name="source">The value of the option.</param>
    /// <param name="value">The decoded value.</param>
    /// <returns>True if this version of the protocol supports it.</returns>
    public static bool TryRead(ReadOnlySpan<byte> source, out OscoreOptionValue value)
    {
        value = default;
        if (source.IsEmpty)
        {
            return true;
        }

        byte flags = source[0];
        int length = flags & LengthMask;
        ReadOnlySpan<byte> rest = source[1..];
        if ((flags & ReservedFlags) != 0 || length > MaxPartialIvLength || length > rest.Length)
        {
            return false;
        }

        ReadOnlySpan<byte> partialIv = rest[..length];
        rest = rest[length..];
        if (length > 1 && partialIv[0] == 0)
        {
            // Other bytes for the same number would change the AAD.
            return false;
        }

        bool hasKidContext = (flags & HasKidContextFlag) != 0;
        ReadOnlySpan<byte> kidContext = default;
        if (hasKidContext)
        {
            if (rest.IsEmpty || rest[0] > rest.Length - 1)
            {
                return false;
            }

            kidContext = rest.Slice(1, rest[0]);
            rest = rest[(1 + kidContext.Length)..];
        }

        bool hasKid = (flags & HasKidFlag) != 0;
        if (!hasKid && !rest.IsEmpty)
        {
            return false;
        }

        value = new OscoreOptionValue
        {
            PartialIv = partialIv,
            HasKid = hasKid,
            Kid = rest,
            HasKidContext = hasKidContext,
            KidContext = kidContext,
        };
        return true;
    }

    /// <summary>Writes the value.</summary>
    /// <param name="destination">At least <see cref="Length"/> bytes.</param>
    /// <returns>The number of bytes written.</returns>
    public int Write(Span<byte> destination)
    {
        int length = Length;
        if (length == 0)
        {
            return 0;
        }

        destination[0] = (byte)(PartialIv.Length | (HasKid ? HasKidFlag : 0) | (HasKidContext ? HasKidContextFlag : 0));
        PartialIv.CopyTo(destination[1..]);
        int at = 1 + PartialIv.Length;
        if (HasKidContext)
        {
            destination[at++] = (byte)KidContext.Length;
            KidContext.CopyTo(destination[at..]);
            at += KidContext.Length;
        }

        if (HasKid)
        {
            Kid.CopyTo(destination[at..]);
        }

        return length;
    }

    /// <summary>Writes a Sender Sequence Number as a Partial IV: without leading zeros, 0 as one byte.</summary>
    /// <param name="number">The number, 0 to 2^40 - 1.</param>
    /// <param name="destination">At least 5 bytes.</param>
    /// <returns>The number of bytes written, 1 to 5.</returns>
    internal static int WritePartialIv(ulong number, Span<byte> destination)
    {
        int length = Math.Max(1, (64 - System.Numerics.BitOperations.LeadingZeroCount(number) + 7) / 8);
        for (int i = length - 1; i >= 0; i--)
        {
            destination[i] = (byte)number;
            number >>= 8;
        }

        return length;
    }
}
