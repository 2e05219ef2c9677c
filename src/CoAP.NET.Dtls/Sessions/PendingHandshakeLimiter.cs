namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Counts pending handshakes by source, and selects one to give up when there are too many: the one without progress longest, of the source
/// that has most; never the newest one. It reserves a quarter of the places for sources that have sessions. Thread-safe; runs no callbacks
/// under its lock.
/// </summary>
/// <param name="maxOfSource">Maximum number per source.</param>
/// <param name="maxInAll">Maximum number in total.</param>
internal sealed class PendingHandshakeLimiter(int maxOfSource, int maxInAll)
{
    private const int KnownShare = 4;

    private readonly Lock _gate = new();
    private readonly int _maxOfStrangers = maxInAll - (maxInAll / KnownShare);

    // A handshake is in exactly one of them.
    private readonly SourceMemberCounts<PendingHandshake> _strangers = new();
    private readonly SourceMemberCounts<PendingHandshake> _known = new();

    /// <summary>Number of handshakes. Takes no lock, because each record of a session without a Connection ID asks for it.</summary>
    public int Count => _strangers.Count + _known.Count;

    /// <summary>Adds a new handshake.</summary>
    /// <param name="pending">The handshake.</param>
    /// <returns>The handshake to give up in its favour; null if there is room.</returns>
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
            CountsOf(pending).Add(pending);
            return victim;
        }
    }

    /// <summary>Removes a handshake.</summary>
    /// <param name="pending">The handshake.</param>
    public void Remove(PendingHandshake pending)
    {
        lock (_gate)
        {
            Take(pending);
        }
    }

    // Those without a message since their cookie go first.
    private static PendingHandshake? Slowest(IEnumerable<PendingHandshake> pending) =>
        pending.MinBy(static one => (one.Progress > 0, one.LastOfUse));

    private SourceMemberCounts<PendingHandshake> CountsOf(PendingHandshake pending) => pending.IsKnown ? _known : _strangers;

    private PendingHandshake? VictimFor(PendingHandshake pending)
    {
        if (_strangers.CountOf(pending.Source) + _known.CountOf(pending.Source) >= maxOfSource)
        {
            return Slowest(_strangers.Of(pending.Source).Concat(_known.Of(pending.Source)));
        }

        if (Count >= maxInAll)
        {
            // If both have equally many, strangers go first; in favour of a stranger they always do.
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
        CountsOf(pending).Remove(pending);
    }
}
