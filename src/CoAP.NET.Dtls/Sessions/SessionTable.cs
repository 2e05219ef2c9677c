using System.Buffers.Binary;
using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Identity;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The sessions of a server: by Connection ID, or by path without one, and in the order of their last records. Lookups take no lock;
/// changes take one, and are rare. A session is in the table from <see cref="TryAdd"/> until it ends, once. Thread-safe; runs no callbacks
/// under its lock, and takes the lock of a session under its own, never the reverse.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="random">The source of the key of the address hash.</param>
internal sealed class SessionTable(TimeProvider time, CoapRandomSource random)
{
    private const int Slack = 512;

    // A session is in exactly one of them.
    private readonly SourceMemberCounts<DtlsSession> _strangers = new();
    private readonly SourceMemberCounts<DtlsSession> _known = new();

    // Null until an identity can have too many.
    private IdentityCounter? _identities;

    // Updates times once per second at most, so that a busy session does not take the lock for each record.
    private readonly long _precision = time.TimestampFrequency;

    // Sessions that hold a last flight, oldest first.
    private readonly Queue<DtlsSession> _young = new();
    private readonly SessionOrder _order = new();
    private readonly Lock _gate = new();

    // Sessions with a Connection ID are not in the index of paths, so a client that gets another one's address hides no session.
    private readonly ConnectionIdIndex _byCid = new();
    private readonly PathIndex _byPath = new(random);

    // The number per slot, if sessions have slots.
    private SessionCountPerSlot? _slots;
    private readonly SessionsByPath _places = new();
    private int _count;
    private bool _isShut;

    /// <summary>Number of sessions.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Maps sources to numbers.</summary>
    public SourceHasher Keys { get; } = new(random);

    /// <summary>
    /// Whether the server shares sessions with others: sessions have slots, and the local address and the socket identify none, because
    /// they change with the server that has the session. Set it before the first session.
    /// </summary>
    public bool IsShared
    {
        get => _slots is not null;
        set
        {
            _slots = value ? new SessionCountPerSlot() : null;
            _byPath.IsByRemote = value;
        }
    }

    /// <summary>Returns the number for a Connection ID.</summary>
    /// <param name="cid">The Connection ID.</param>
    public static ulong CidOf(ReadOnlySpan<byte> cid) => BinaryPrimitives.ReadUInt64BigEndian(cid);

    /// <summary>Finds the session with a Connection ID.</summary>
    /// <param name="cid">The Connection ID.</param>
    /// <returns>The session, or null.</returns>
    public DtlsSession? Find(ReadOnlySpan<byte> cid) => _byCid.Find(CidOf(cid));

    /// <summary>Finds the session without a Connection ID over a path.</summary>
    /// <param name="path">The path.</param>
    /// <returns>The session, or null.</returns>
    public DtlsSession? Find(in DtlsPath path) => _byPath.Find(path);

    /// <summary>Reserves capacity for sessions of clients with an identity and a Connection ID each, the usual case.</summary>
    /// <param name="further">The number of further sessions.</param>
    public void Reserve(int further)
    {
        lock (_gate)
        {
            _byCid.Reserve(further);
            _places.Reserve(further);
            _known.Reserve(further);
        }
    }

    /// <summary>Adds a new session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="replaced">Sessions of the same path that it replaces; the caller ends them.</param>
    /// <returns>False if it has already ended, its Connection ID is taken, or the table is shut.</returns>
    public bool TryAdd(DtlsSession session, out IReadOnlyList<DtlsSession> replaced)
    {
        List<DtlsSession>? others = null;
        replaced = [];
        lock (_gate)
        {
            DtlsPath path = session.Path;
            if (_isShut || session.IsClosed || (session.HasCid && !_byCid.TryAdd(CidOf(session.OwnCid), session)))
            {
                return false;
            }

            // A loaded session is older than its times say, because clocks differ: its client may have opened another one here since, which
            // stays.
            bool isLoaded = session is DtlsSessionWithBackup { IsLoaded: true };

            // A client with keys has proved more than its address: only now does the new session replace the old one (RFC 6347 section
            // 4.2.8).
            if (!isLoaded && _byPath.Find(path) is { } plain)
            {
                (others ??= []).Add(plain);
            }

            ulong place = _byPath.HashOf(path);

            // An address can pass to another client, also by a NAT; its previous client may be elsewhere and has a Connection ID that
            // identifies it.
            bool isHidden = false;
            if (_places.Find(place) is { } before && before.HasPeerOf(session))
            {
                if (!isLoaded)
                {
                    (others ??= []).Add(before);
                }

                isHidden = isLoaded && session.LastReceived <= before.LastReceived;
            }

            // Immediately: a late record of one of them must not take the place back before its end.
            if (others is not null)
            {
                others.ForEach(Unlist);
                replaced = others;
            }

            if (session.HasCid)
            {
                session.IsHidden = isHidden;
                if (!isHidden)
                {
                    _places.Set(place, session);
                }
            }
            else
            {
                _byPath.TryAdd(path, session);
            }

            session.IsListed = true;
            Volatile.Write(ref _count, _count + 1);
            _slots?.Add(session, 1);
            Append(session);
            Share(session, path);
            return true;
        }
    }

    /// <summary>Returns the number of sessions of a slot.</summary>
    /// <param name="slot">The slot.</param>
    public int CountOf(byte slot) => _slots?[slot] ?? 0;

    /// <summary>Returns the sessions of a slot, the one silent longest first.</summary>
    /// <param name="slot">The slot.</param>
    public List<DtlsSession> Of(byte slot)
    {
        List<DtlsSession> found = [];
        lock (_gate)
        {
            if (CountOf(slot) > 0)
            {
                found.AddRange(_order.Where(session => session.Slot == slot));
            }
        }

        return found;
    }

    /// <summary>Removes a session that has ended.</summary>
    /// <param name="session">The session.</param>
    public void Remove(DtlsSession session)
    {
        lock (_gate)
        {
            Unlist(session);
        }
    }

    /// <summary>
    /// Updates the path of a session, after the session has set it. Several threads may move one session, and call this in any order: each
    /// removes the path that the session left, and adds the newest.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">The previous path.</param>
    public void Move(DtlsSession session, in DtlsPath from)
    {
        lock (_gate)
        {
            _places.Remove(_byPath.HashOf(from), session);
            if (session.IsListed && !session.IsClosed)
            {
                if (session.HasCid)
                {
                    _places.Set(_byPath.HashOf(session.Path), session);
                }

                Rehome(session);
            }
        }
    }

    /// <summary>Removes all sessions, and accepts no more.</summary>
    /// <returns>The sessions, which the caller ends.</returns>
    public DtlsSession[] Shut()
    {
        lock (_gate)
        {
            _isShut = true;
        }

        return ToArray();
    }

    /// <summary>Returns the session recorded as the last one that received from a path.</summary>
    /// <param name="path">The path.</param>
    public DtlsSession? At(in DtlsPath path)
    {
        lock (_gate)
        {
            return _places.Find(_byPath.HashOf(path)) ?? _byPath.Find(path);
        }
    }

    private void Unlist(DtlsSession session)
    {
        if (!session.IsListed)
        {
            return;
        }

        session.IsListed = false;
        Volatile.Write(ref _count, _count - 1);
        _slots?.Add(session, -1);
        _order.Remove(session);
        Unshare(session);
        if (session.HasCid)
        {
            _byCid.Remove(CidOf(session.OwnCid), session);
            _places.Remove(_byPath.HashOf(session.Path), session);
        }
        else
        {
            _byPath.Remove(session.Path, session);
        }
    }

    /// <summary>Updates the order after a record of a session.</summary>
    /// <param name="session">The session.</param>
    public void Touch(DtlsSession session)
    {
        if (session.LastReceived - session.Touched < _precision && !session.IsHidden)
        {
            return;
        }

        lock (_gate)
        {
            if (!session.IsListed)
            {
                return;
            }

            _order.Remove(session);
            Link(session);
            if (session.IsHidden && !session.IsClosed)
            {
                _places.Set(_byPath.HashOf(session.Path), session);
            }
        }
    }

    /// <summary>Removes and returns a session that was silent for too long.</summary>
    /// <param name="timeout">The maximum silence.</param>
    /// <returns>The session, which the caller ends; null for none.</returns>
    public DtlsSession? TakeIdle(TimeSpan timeout)
    {
        lock (_gate)
        {
            if (_order.Oldest is not { } oldest || oldest.Idle <= timeout)
            {
                return null;
            }

            Unlist(oldest);
            return oldest;
        }
    }

    /// <summary>Discards the last flights that no peer can ask for any more.</summary>
    public void DropLastFlights()
    {
        lock (_gate)
        {
            while (_young.TryPeek(out DtlsSession? session) && (session.IsClosed || session.TryDropLastFlight()))
            {
                _young.Dequeue();
            }

            if (_young.Count == 0)
            {
                _young.TrimExcess();
            }
        }
    }

    /// <summary>Returns the sessions, the one silent longest first.</summary>
    public DtlsSession[] ToArray()
    {
        lock (_gate)
        {
            return [.. _order];
        }
    }

    /// <summary>Returns the sessions with records since a time.</summary>
    /// <param name="since">The time, by the clock's timestamp.</param>
    public List<DtlsSession> HeardSince(long since)
    {
        List<DtlsSession> heard = [];
        lock (_gate)
        {
            // A record shortly after an update does not move the session.
            for (DtlsSession? session = _order.Newest; session is not null && session.Touched >= since - _precision;
                session = session.Neighbours.Previous)
            {
                if (session.LastReceived >= since)
                {
                    heard.Add(session);
                }
            }
        }

        return heard;
    }

    private void Append(DtlsSession session)
    {
        Link(session);
        if (!session.HasLastFlight)
        {
            return;
        }

        _young.Enqueue(session);
        if (_young.Count > 2 * (_count + Slack))
        {
            // Drops those that ended early instead of keeping them for minutes; seldom enough to cost each session little.
            DtlsSession[] living = [.. _young.Where(static young => !young.IsClosed)];
            _young.Clear();
            Array.ForEach(living, _young.Enqueue);
        }
    }

    private void Link(DtlsSession session)
    {
        // A session that another server last received from arrives late; those after it still have later records.
        session.Touched = Math.Max(session.LastReceived, _order.Newest?.Touched ?? long.MinValue);
        _order.Append(session);
    }

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
    private DtlsSession? OldestOfGreediest(SourceMemberCounts<DtlsSession> shares, DtlsSession added) =>
        shares.Most > 1 ? OldestOf(shares.OfGreediest(), added)
        : shares.Count > 0 ? _order.FirstOrDefault(session => session != added && CountsOf(session) == shares)
        : null;

    private bool HasTooMany(DtlsSession added, int max)
    {
        if (_identities is null && _count > max)
        {
            _identities = new IdentityCounter();
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

    private SourceMemberCounts<DtlsSession> CountsOf(DtlsSession session) => session.IsKnown ? _known : _strangers;

    private void Share(DtlsSession session, in DtlsPath path)
    {
        session.Source = Keys.Of(path.Remote);
        CountsOf(session).Add(session);
        CountIdentity(session, 1);
    }

    private void Unshare(DtlsSession session)
    {
        CountsOf(session).Remove(session);
        CountIdentity(session, -1);
    }

    // Updates the source after a move of the peer.
    private void Rehome(DtlsSession session)
    {
        uint source = Keys.Of(session.Path.Remote);
        if (source != session.Source)
        {
            CountsOf(session).Remove(session);
            session.Source = source;
            CountsOf(session).Add(session);
        }
    }
}

/// <summary>Sessions by their Connection IDs.</summary>
internal sealed class ConnectionIdIndex : SessionIndex<ulong>
{
    protected override ulong KeyOf(DtlsSession session) => SessionTable.CidOf(session.OwnCid);

    // Connection IDs are random.
    protected override uint Hash(in ulong key) => (uint)key;
}

/// <summary>Sessions by their paths.</summary>
/// <param name="random">The source of the key of the address hash.</param>
internal sealed class PathIndex(CoapRandomSource random) : SessionIndex<DtlsPath>
{
    private readonly CoapAddressHash _hash = new(random);

    /// <summary>Whether only the peer's address identifies a path (<see cref="SessionTable.IsShared"/>).</summary>
    public bool IsByRemote { get; set; }

    /// <summary>Returns a keyed hash of a path.</summary>
    /// <param name="path">The path.</param>
    public ulong HashOf(in DtlsPath path) =>
        IsByRemote ? _hash.Of(path.Remote) : _hash.Of(path.Remote, path.Local) + (ulong)path.Tag;

    protected override DtlsPath KeyOf(DtlsSession session) => session.FixedPath;

    protected override bool Has(DtlsSession session, in DtlsPath key) =>
        IsByRemote ? session.FixedPath.Remote == key.Remote : base.Has(session, key);

    protected override uint Hash(in DtlsPath key) => (uint)HashOf(key);
}

/// <summary>
/// Maps the sources of peers (<see cref="CoapQuotaSource"/>) to numbers: keyed hashes, so that an attacker cannot choose addresses that
/// collide with those of another client.
/// </summary>
/// <param name="random">The source of the key.</param>
internal sealed class SourceHasher(CoapRandomSource random)
{
    /// <summary>The source of work of this endpoint itself, beside those of peers.</summary>
    public const uint Own = 0;

    private readonly CoapAddressHash _hash = new(random);

    /// <summary>The rule that groups peers into sources.</summary>
    public CoapSourceGroupingRule Rule { get; set; } = CoapSourceGroupingRule.Default;

    /// <summary>Returns the source of an address.</summary>
    /// <param name="address">The address.</param>
    public uint Of(in CoapAddress address) => (uint)_hash.Of(Rule.Of(address));
}
