using System.Buffers.Binary;
using CoAP.NET.Dtls.Keeping;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// The sessions of a server: found by Connection ID, or by path where there is none, and in the order in which they were last heard of.
/// Look-ups take no lock; changes take one, and are rare. A session is in it from <see cref="TryAdd"/> until it ends, once. Thread safe;
/// calls nobody under its lock, and takes the lock of a session under its own, never the reverse.
/// </summary>
/// <param name="time">The clock.</param>
/// <param name="random">Where the key of the hash of addresses comes from.</param>
internal sealed partial class SessionTable(TimeProvider time, CoapRandomSource random)
{
    private readonly Lock _gate = new();

    // Sessions that have a Connection ID are not found by path, so whoever comes to the address of another hides nobody.
    private readonly CidIndex _byCid = new();
    private readonly PathIndex _byPath = new(random);

    // How many there are of each slot, where sessions have slots.
    private SlotCounts? _slots;

    private readonly SessionPlaces _places = new();
    private int _count;
    private bool _isShut;

    /// <summary>How many sessions there are.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Numbers that stand for sources.</summary>
    public SourceKeys Keys { get; } = new(random);

    /// <summary>
    /// Whether sessions are shared with other servers: they have slots, and the local address and the socket tell none apart, as those of a
    /// session change with the server that has it. To be set before the first session.
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

    /// <summary>The number that stands for a Connection ID.</summary>
    /// <param name="cid">The Connection ID.</param>
    public static ulong CidOf(ReadOnlySpan<byte> cid) => BinaryPrimitives.ReadUInt64BigEndian(cid);

    /// <summary>The session with a Connection ID.</summary>
    /// <param name="cid">The Connection ID.</param>
    /// <returns>It, or null.</returns>
    public DtlsSession? Find(ReadOnlySpan<byte> cid) => _byCid.Find(CidOf(cid));

    /// <summary>The session without a Connection ID that goes over a path.</summary>
    /// <param name="path">The path.</param>
    /// <returns>It, or null.</returns>
    public DtlsSession? Find(in DtlsPath path) => _byPath.Find(path);

    /// <summary>Makes room for sessions that are about to be added, of clients that are known and have a Connection ID each, as most
    /// have.</summary>
    /// <param name="further">How many.</param>
    public void Reserve(int further)
    {
        lock (_gate)
        {
            _byCid.Reserve(further);
            _places.Reserve(further);
            _known.Reserve(further);
        }
    }

    /// <summary>Takes a new session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="replaced">Sessions of the same path that it takes the place of; they are to be ended.</param>
    /// <returns>False when it ended already, its Connection ID is taken, or the table is shut.</returns>
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

            // One that was loaded is older than it seems, as clocks differ: its client may have made another one here since, which stays.
            bool isLoaded = session is KeptDtlsSession { IsLoaded: true };

            // Whoever holds keys has shown more than an address: only now does the old session go (RFC 6347 section 4.2.8).
            if (!isLoaded && _byPath.Find(path) is { } plain)
            {
                (others ??= []).Add(plain);
            }

            ulong place = _byPath.HashOf(path);

            // An address is given to others, by NATs too; the one who had it before may be elsewhere and has a Connection ID to be known
            // by.
            bool isHidden = false;
            if (_places.Find(place) is { } before && before.HasPeerOf(session))
            {
                if (!isLoaded)
                {
                    (others ??= []).Add(before);
                }

                isHidden = isLoaded && session.LastReceived <= before.LastReceived;
            }

            // At once: what comes late in one of them must not take the place back until it has ended.
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

    /// <summary>How many sessions of a slot there are.</summary>
    /// <param name="slot">The slot.</param>
    public int CountOf(byte slot) => _slots?[slot] ?? 0;

    /// <summary>The sessions of a slot, the one that was not heard of for longest first.</summary>
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

    /// <summary>Lets go of a session that has ended.</summary>
    /// <param name="session">The session.</param>
    public void Remove(DtlsSession session)
    {
        lock (_gate)
        {
            Unlist(session);
        }
    }

    /// <summary>
    /// Notes that a session has another path, after its path was set. Several threads may move one session, and come here in any order:
    /// each takes away the path that it left, and notes the newest.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="from">The path that was left.</param>
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

    /// <summary>Takes out all sessions, and takes no more.</summary>
    /// <returns>The sessions, to be ended.</returns>
    public DtlsSession[] Shut()
    {
        lock (_gate)
        {
            _isShut = true;
        }

        return ToArray();
    }

    /// <summary>The session that is noted as the last one heard from a path.</summary>
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
