using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// A client's cache of sessions for resumption by a short handshake (RFC 5246 section 7.3). It evicts the least recently used. Thread-safe.
/// </summary>
/// <param name="capacity">Maximum number of sessions.</param>
/// <param name="lifetime">How long the cache keeps one.</param>
/// <param name="time">The clock.</param>
internal sealed class ResumptionCache(int capacity, TimeSpan lifetime, TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapAddress Remote, string? ServerName), LinkedListNode<Entry>> _nodes = [];
    private readonly LinkedList<Entry> _byUse = new();
    private bool _isDisposed;

    /// <summary>Number of entries, including servers that refuse resumption.</summary>
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

    /// <summary>Removes and returns the session of a server. If it resumes, the caller puts it back; otherwise it is useless.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
    /// <returns>The session, or null.</returns>
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
                // Keeps the knowledge that this server refuses resumption.
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

    /// <summary>Adds a session.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
    /// <param name="session">The session, which the cache owns from now on.</param>
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

    /// <summary>Removes the entry that would resume a failed session.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
    public void Forget(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            // Keeps the knowledge that a server refuses resumption.
            if (_nodes.TryGetValue((remote, serverName), out LinkedListNode<Entry>? node) && node.Value.Session is not null)
            {
                Remove((remote, serverName));
            }
        }
    }

    /// <summary>Marks a server that refuses clients with a session to resume: the cache keeps none of its sessions from now on.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
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
