using System.Buffers.Binary;
using CoAP.NET.Dtls.Keeping;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The sessions of a server: by Connection ID, or by path without one, and in the order of their last records. Look-ups take no lock;
/// changes take one, and are rare. A session is in the table from <see cref="TryAdd"/> until it ends, once. Thread-safe; runs no callbacks
/// under its lock, and takes the lock of a session under its own, never the reverse.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="random">The source of the key of the address hash.</param>
internal sealed partial class SessionTable(TimeProvider time, CoapRandomSource random)
{
    private readonly Lock _gate = new();

    // Sessions with a Connection ID are not in the index of paths, so a client that gets another one's address hides no session.
    private readonly CidIndex _byCid = new();
    private readonly PathIndex _byPath = new(random);

    // The number per slot, if sessions have slots.
    private SlotCounts? _slots;

    private readonly SessionPlaces _places = new();
    private int _count;
    private bool _isShut;

    /// <summary>Number of sessions.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Maps sources to numbers.</summary>
    public SourceKeys Keys { get; } = new(random);

    /// <summary>
    /// Whether the server shares sessions with others: sessions have slots, and the local address and the socket identify none, because
    /// they change with the server that has the session. Set it before the first session.
    /// </summary>
    public bool IsShared
    {
        get => _slots is not null;
        set
        {
            _slots = value ? new SlotCounts() : null;
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
            bool isLoaded = session is KeptDtlsSession { IsLoaded: true };

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
}
