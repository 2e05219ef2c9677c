using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <content>Counts sessions by source and identity, and selects one to evict when there are too many.</content>
internal sealed partial class SessionTable
{
    // A session is in exactly one of them.
    private readonly Shares<DtlsSession> _strangers = new();
    private readonly Shares<DtlsSession> _known = new();

    // Null until an identity can have too many.
    private IdentityCounts? _identities;

    /// <summary>Whether an address belongs to a source with sessions: of clients with a proven identity, if there are any.</summary>
    /// <param name="address">The address.</param>
    public bool HasSessionsOf(in CoapAddress address)
    {
        uint source = Keys.Of(address);
        lock (_gate)
        {
            return (_known.Count > 0 ? _known : _strangers).CountOf(source) > 0;
        }
    }

    /// <summary>
    /// Removes and returns a session if there are too many after one was added: of the same identity or the same source if that has too
    /// many, otherwise of the source that has most. Sessions of peers without an identity go first, then those silent longest; never the
    /// new one.
    /// </summary>
    /// <param name="limits">The limits.</param>
    /// <param name="added">The new session.</param>
    /// <returns>The session, which the caller ends; null if there are not too many.</returns>
    public DtlsSession? TakeExcess(DtlsServerLimits limits, DtlsSession added)
    {
        lock (_gate)
        {
            if (!added.IsListed)
            {
                return null;
            }

            DtlsSession? victim =
                HasTooMany(added, limits.MaxSessionsPerIdentity) ? _order.FirstOrDefault(other => other != added && other.HasPeerOf(added))
                : _strangers.CountOf(added.Source) + _known.CountOf(added.Source) > limits.MaxSessionsPerAddress
                ? OldestOf(_strangers.Of(added.Source), added) ?? OldestOf(_known.Of(added.Source), added)
                : _count > limits.MaxSessions ? OldestOfGreediest(_strangers, added) ?? OldestOfGreediest(_known, added)
                : null;
            if (victim is not null)
            {
                Unlist(victim);
            }

            return victim;
        }
    }

    private static DtlsSession? OldestOf(IEnumerable<DtlsSession> sessions, DtlsSession added) =>
        sessions.Where(session => session != added).MinBy(static session => session.LastOfUse);

    // If no source has more than one, the order of all sessions decides.
    private DtlsSession? OldestOfGreediest(Shares<DtlsSession> shares, DtlsSession added) =>
        shares.Most > 1 ? OldestOf(shares.OfGreediest(), added)
        : shares.Count > 0 ? _order.FirstOrDefault(session => session != added && SharesOf(session) == shares)
        : null;

    private bool HasTooMany(DtlsSession added, int max)
    {
        if (_identities is null && _count > max)
        {
            _identities = new IdentityCounts();
            foreach (DtlsSession session in _order)
            {
                CountIdentity(session, 1);
            }
        }

        return added.IsKnown && _identities?.CountOf(added) > max;
    }

    private void CountIdentity(DtlsSession session, int by)
    {
        if (session.IsKnown)
        {
            _identities?.Add(session, by);
        }
    }

    private Shares<DtlsSession> SharesOf(DtlsSession session) => session.IsKnown ? _known : _strangers;

    private void Share(DtlsSession session, in DtlsPath path)
    {
        session.Source = Keys.Of(path.Remote);
        SharesOf(session).Add(session);
        CountIdentity(session, 1);
    }

    private void Unshare(DtlsSession session)
    {
        SharesOf(session).Remove(session);
        CountIdentity(session, -1);
    }

    // Updates the source after a move of the peer.
    private void Rehome(DtlsSession session)
    {
        uint source = Keys.Of(session.Path.Remote);
        if (source != session.Source)
        {
            SharesOf(session).Remove(session);
            session.Source = source;
            SharesOf(session).Add(session);
        }
    }
}
