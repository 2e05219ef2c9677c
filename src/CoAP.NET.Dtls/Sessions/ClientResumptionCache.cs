using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// A client's cache of sessions for resumption by a short handshake (RFC 5246 section 7.3). It evicts the least recently used. Thread-safe.
/// </summary>
/// <param name="capacity">Maximum number of sessions.</param>
/// <param name="lifetime">How long the cache keeps one.</param>
/// <param name="time">The clock.</param>
internal sealed class ClientResumptionCache(int capacity, TimeSpan lifetime, TimeProvider time) : IDisposable
{
    private readonly Lock _gate = new();

    // Null for a server that refuses resumption.
    private readonly LruDictionary<(CoapAddress Remote, string? ServerName), ResumableSession?> _sessions = new(Math.Max(1, capacity));
    private bool _isClosed = capacity == 0;

    /// <summary>Number of entries, including servers that refuse resumption.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _sessions.Count;
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
            if (!_sessions.TryUse((remote, serverName), out ResumableSession? session) || session is null)
            {
                return null;
            }

            _sessions.Remove((remote, serverName), out _);
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
            if (_isClosed
                || (_sessions.TryGetValue((remote, serverName), out ResumableSession? before) && before is null))
            {
                session.Dispose();
                return;
            }

            Set((remote, serverName), session);
        }
    }

    /// <summary>Removes the entry that would resume a failed session.</summary>
    /// <param name="remote">The server's address.</param>
    /// <param name="serverName">The requested name.</param>
    public void Forget(CoapAddress remote, string? serverName)
    {
        lock (_gate)
        {
            if (_sessions.TryGetValue((remote, serverName), out ResumableSession? session) && session is not null)
            {
                _sessions.Remove((remote, serverName), out _);
                session.Dispose();
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
            if (!_isClosed)
            {
                Set((remote, serverName), null);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            _isClosed = true;
            while (_sessions.Oldest is { } entry)
            {
                _sessions.Remove(entry.Key, out _);
                entry.Value?.Dispose();
            }
        }
    }

    private void Set((CoapAddress Remote, string? ServerName) key, ResumableSession? session)
    {
        if (_sessions.Remove(key, out ResumableSession? before))
        {
            before?.Dispose();
        }

        if (_sessions.Set(key, session, out KeyValuePair<(CoapAddress Remote, string? ServerName), ResumableSession?> evicted))
        {
            evicted.Value?.Dispose();
        }
    }
}
