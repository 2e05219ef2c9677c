namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Who has how many handshakes under way, and whose is given up when there are too many: the one that stands still longest, of the source
/// that has most; never the one that has just begun. A quarter of the room is for sources that have sessions. Thread-safe; calls nobody
/// under its lock.
/// </summary>
/// <param name="maxOfSource">Most of one source.</param>
/// <param name="maxInAll">Most of them.</param>
internal sealed class HandshakeTable(int maxOfSource, int maxInAll)
{
    private const int KnownShare = 4;

    private readonly Lock _gate = new();
    private readonly int _maxOfStrangers = maxInAll - (maxInAll / KnownShare);

    // A handshake is in one of them.
    private readonly Shares<PendingHandshake> _strangers = new();
    private readonly Shares<PendingHandshake> _known = new();

    /// <summary>How many there are.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return Total;
            }
        }
    }

    private int Total => _strangers.Count + _known.Count;

    /// <summary>Takes one that begins.</summary>
    /// <param name="pending">The handshake.</param>
    /// <returns>The one that makes room and is to be given up; null when there is room.</returns>
    public PendingHandshake? Add(PendingHandshake pending)
    {
        lock (_gate)
        {
            PendingHandshake? victim = VictimFor(pending);
            if (victim is not null)
            {
                Take(victim);
            }

            pending.IsListed = true;
            SharesOf(pending).Add(pending);
            return victim;
        }
    }

    /// <summary>Lets go of one.</summary>
    /// <param name="pending">The handshake.</param>
    public void Remove(PendingHandshake pending)
    {
        lock (_gate)
        {
            Take(pending);
        }
    }

    // Those of which nothing has come since their cookie go first.
    private static PendingHandshake? Slowest(IEnumerable<PendingHandshake> pending) =>
        pending.MinBy(static one => (one.Progress > 0, one.LastOfUse));

    private Shares<PendingHandshake> SharesOf(PendingHandshake pending) => pending.IsKnown ? _known : _strangers;

    private PendingHandshake? VictimFor(PendingHandshake pending)
    {
        if (_strangers.CountOf(pending.Source) + _known.CountOf(pending.Source) >= maxOfSource)
        {
            return Slowest(_strangers.Of(pending.Source).Concat(_known.Of(pending.Source)));
        }

        if (Total >= maxInAll)
        {
            // Where both have as many strangers go first, and for a stranger always.
            return Slowest((_strangers.Count > 0 && (!pending.IsKnown || _strangers.Most >= _known.Most) ? _strangers : _known)
                .OfGreediest());
        }

        return !pending.IsKnown && _strangers.Count >= _maxOfStrangers ? Slowest(_strangers.OfGreediest()) : null;
    }

    private void Take(PendingHandshake pending)
    {
        if (!pending.IsListed)
        {
            return;
        }

        pending.IsListed = false;
        SharesOf(pending).Remove(pending);
    }
}
