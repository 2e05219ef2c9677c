using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Which session with a Connection ID was heard last from a path: whom a new handshake there replaces. By a keyed hash of 64 bits, as paths
/// are long; should two have the same, then a session may be replaced a little late. Under the lock of the table.
/// </summary>
internal sealed class SessionPlaces
{
    private readonly Dictionary<ulong, DtlsSession> _places = [];

    /// <summary>Makes room.</summary>
    /// <param name="further">For how many more.</param>
    public void Reserve(int further) => _places.EnsureCapacity(_places.Count + further);

    /// <summary>The session that was heard last from a path; null for none.</summary>
    /// <param name="place">The hash of the path.</param>
    public DtlsSession? Find(ulong place) => _places.GetValueOrDefault(place);

    /// <summary>A session is heard, and hides the one that was heard from its path before.</summary>
    /// <param name="place">The hash of its path.</param>
    /// <param name="session">The session, which has a Connection ID.</param>
    public void Set(ulong place, DtlsSession session)
    {
        ref DtlsSession? there = ref CollectionsMarshal.GetValueRefOrAddDefault(_places, place, out _);
        if (there is { } before && before != session)
        {
            before.IsHidden = true;
        }

        there = session;
        session.IsHidden = false;
    }

    /// <summary>A session is not heard from a path any more.</summary>
    /// <param name="place">The hash of the path.</param>
    /// <param name="session">The session.</param>
    public void Remove(ulong place, DtlsSession session)
    {
        if (_places.TryGetValue(place, out DtlsSession? there) && there == session)
        {
            _places.Remove(place);
        }
    }
}
