namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// How many sessions each identity has, about: never less, and more by as many as share all its cells, which is little against any bound.
/// Of fixed size, as most identities have one session. Not thread-safe.
/// </summary>
internal sealed class IdentityCounts
{
    private const int Bits = 14;
    private const int Rows = 2;
    private const int RowShift = 32 - Bits;

    private readonly int[] _cells = new int[Rows << Bits];

    /// <summary>Counts a session.</summary>
    /// <param name="session">A session whose peer is known.</param>
    /// <param name="by">1 when it comes, -1 when it goes.</param>
    public void Add(DtlsSession session, int by)
    {
        uint hash = HashOf(session);
        Cell(0, hash) += by;
        Cell(1, hash) += by;
    }

    /// <summary>About how many sessions the peer of a session has.</summary>
    /// <param name="session">A session whose peer is known.</param>
    public int CountOf(DtlsSession session)
    {
        uint hash = HashOf(session);
        return Math.Min(Cell(0, hash), Cell(1, hash));
    }

    // Keyed by the process, so that nobody can choose identities that meet.
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
