using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Finds the session with a Connection ID that last received from a path: a new handshake there replaces it. The key is a keyed hash of 64
/// bits, because paths are long; after a collision the replacement of a session may come a little late. Under the lock of the table.
/// </summary>
internal sealed class SessionsByPath
{
    private readonly Dictionary<ulong, DtlsSession> _places = [];

    /// <summary>Reserves capacity.</summary>
    /// <param name="further">The number of further sessions.</param>
    public void Reserve(int further) => _places.EnsureCapacity(_places.Count + further);

    /// <summary>Finds the session that last received from a path; null for none.</summary>
    /// <param name="place">The hash of the path.</param>
    public DtlsSession? Find(ulong place) => _places.GetValueOrDefault(place);

    /// <summary>Sets the session of a path; it hides the previous one.</summary>
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

    /// <summary>Removes a session that no longer receives from a path.</summary>
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
