using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// What a client keeps to resume sessions by a short handshake (RFC 5246 section 7.3). Those used least recently make room. Thread safe.
/// </summary>
/// <param name="capacity">Most sessions.</param>
/// <param name="lifetime">How long one is kept.</param>
/// <param name="time">The clock.</param>
internal sealed class ResumptionCache(int capacity, TimeSpan lifetime, TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapAddress Remote, string? ServerName), LinkedListNode<Entry>> _nodes = [];
    private readonly LinkedList<Entry> _byUse = new();
    private bool _isDisposed;

    /// <summary>How many there are, with servers that take none.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _nodes.Count;
            }
        }
    }

    /// <summary>Takes the session of a server out: if it can be resumed it comes back, and if not it is of no use.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">By which name.</param>
    /// <returns>It, or null.</returns>
    public ResumableSession? Take(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            if (!_nodes.Remove((remote, serverName), out LinkedListNode<Entry>? node))
            {
                return null;
            }

            _byUse.Remove(node);
            if (node.Value.Session is not { } session)
            {
                // Not forgotten that this server takes none.
                _nodes[(remote, serverName)] = node;
                _byUse.AddFirst(node);
                return null;
            }

            if (time.GetElapsedTime(session.Since) < lifetime
                && (session.PeerCertificate is null || time.GetUtcNow() < session.PeerCertificate.NotAfter))
            {
                return session;
            }

            session.Dispose();
            return null;
        }
    }

    /// <summary>Puts one in.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">By which name.</param>
    /// <param name="session">The session; the cache's from here on.</param>
    public void Put(CoapAddress remote, string? serverName, ResumableSession session)
    {
        lock (_gate)
        {
            if (_isDisposed || capacity == 0
                || (_nodes.TryGetValue((remote, serverName), out LinkedListNode<Entry>? node) && node.Value.Session is null))
            {
                session.Dispose();
                return;
            }

            Put(new Entry((remote, serverName), session));
        }
    }

    /// <summary>Drops what would resume a session that has failed.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">By which name.</param>
    public void Forget(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            // That a server takes none is still known.
            if (_nodes.TryGetValue((remote, serverName), out LinkedListNode<Entry>? node) && node.Value.Session is not null)
            {
                Remove((remote, serverName));
            }
        }
    }

    /// <summary>Notes that a server refuses whoever wants to resume a session: none of it is kept any more.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">By which name.</param>
    public void Refuse(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            if (!_isDisposed && capacity > 0)
            {
                Put(new Entry((remote, serverName), null));
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
            foreach (Entry entry in _byUse)
            {
                entry.Session?.Dispose();
            }

            _nodes.Clear();
            _byUse.Clear();
        }
    }

    private void Put(Entry entry)
    {
        Remove(entry.Key);
        _nodes[entry.Key] = _byUse.AddFirst(entry);
        if (_nodes.Count > capacity)
        {
            Remove(_byUse.Last!.Value.Key);
        }
    }

    private void Remove((CoapAddress Remote, string? ServerName) key)
    {
        if (_nodes.Remove(key, out LinkedListNode<Entry>? node))
        {
            _byUse.Remove(node);
            node.Value.Session?.Dispose();
        }
    }

    private readonly record struct Entry((CoapAddress Remote, string? ServerName) Key, ResumableSession? Session);
}
