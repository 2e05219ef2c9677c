namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Estimates the number of sessions per identity: never too low, and too high only by identities that share all its cells, which is little
/// compared with any limit. Of fixed size, because most identities have one session. Not thread-safe.
/// </summary>
internal sealed class IdentityCounter
{
    private const int Bits = 14;
    private const int Rows = 2;
    private const int RowShift = 32 - Bits;

    private readonly int[] _cells = new int[Rows << Bits];

    /// <summary>Adds or removes a session.</summary>
    /// <param name="session">A session whose peer has an identity.</param>
    /// <param name="by">1 to add it, -1 to remove it.</param>
    public void Add(DtlsSession session, int by)
    {
        uint hash = HashOf(session);
        Cell(0, hash) += by;
        Cell(1, hash) += by;
    }

    /// <summary>Estimates the number of sessions of a session's peer.</summary>
    /// <param name="session">A session whose peer has an identity.</param>
    public int CountOf(DtlsSession session)
    {
        uint hash = HashOf(session);
        return Math.Min(Cell(0, hash), Cell(1, hash));
    }

    // With a key of the process, so that an attacker cannot choose colliding identities.
    private static uint HashOf(DtlsSession session)
    {
        HashCode hash = default;
        hash.Add(session.PskIdentity);
        hash.AddBytes(session.PeerPublicKey.Span);
        if (session.PeerCertificate is { } certificate)
        {
            hash.AddBytes(certificate.RawDataMemory.Span);
        }

        return (uint)hash.ToHashCode();
    }

    private ref int Cell(int row, uint hash) => ref _cells[(row << Bits) + (int)(row == 0 ? hash >> RowShift : hash & ((1 << Bits) - 1))];
}
