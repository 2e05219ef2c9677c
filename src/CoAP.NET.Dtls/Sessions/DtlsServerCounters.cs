namespace CoAP.NET.Dtls.Sessions;

/// <summary>What happened at a server, counted since it was made. Thread safe.</summary>
internal sealed class DtlsServerCounters
{
    private static readonly int s_reasons = Enum.GetValues<DtlsEnd>().Length;

    private readonly long[] _ended = new long[s_reasons];
    private long _recordsForged;
    private long _recordsReplayed;
    private long _recordsIgnored;
    private long _handshakesStarted;
    private long _handshakesCompleted;
    private long _handshakesResumed;
    private long _handshakesFailed;
    private long _handshakesRefused;
    private long _cookiesSent;
    private long _addressChanges;

    /// <summary>Records that were not sealed with the keys of the session or handshake that they were for.</summary>
    public long RecordsForged => Volatile.Read(ref _recordsForged);

    /// <summary>Records whose number came already, or is older than the window.</summary>
    public long RecordsReplayed => Volatile.Read(ref _recordsReplayed);

    /// <summary>Records, or rests of datagrams, that had no effect as they are malformed, too short, too long, of another epoch, or for nobody here.</summary>
    public long RecordsIgnored => Volatile.Read(ref _recordsIgnored);

    /// <summary>Handshakes with clients that returned their cookie.</summary>
    public long HandshakesStarted => Volatile.Read(ref _handshakesStarted);

    /// <summary>Those that gave a session.</summary>
    public long HandshakesCompleted => Volatile.Read(ref _handshakesCompleted);

    /// <summary>Those of them that resumed an earlier session.</summary>
    public long HandshakesResumed => Volatile.Read(ref _handshakesResumed);

    /// <summary>Those that gave none.</summary>
    public long HandshakesFailed => Volatile.Read(ref _handshakesFailed);

    /// <summary>Clients with a good cookie that found too many handshakes under way.</summary>
    public long HandshakesRefused => Volatile.Read(ref _handshakesRefused);

    /// <summary>HelloVerifyRequests.</summary>
    public long CookiesSent => Volatile.Read(ref _cookiesSent);

    /// <summary>Peers of sessions that were found at another address.</summary>
    public long AddressChanges => Volatile.Read(ref _addressChanges);

    /// <summary>Sessions that ended.</summary>
    /// <param name="reason">Why.</param>
    public long SessionsEnded(DtlsEnd reason) => Volatile.Read(ref _ended[(int)reason]);

    public void AddForged(long count) => Interlocked.Add(ref _recordsForged, count);

    public void AddReplayed() => Interlocked.Increment(ref _recordsReplayed);

    public void AddIgnored() => Interlocked.Increment(ref _recordsIgnored);

    public void AddStarted() => Interlocked.Increment(ref _handshakesStarted);

    public void AddCompleted(bool isResumed)
    {
        Interlocked.Increment(ref _handshakesCompleted);
        if (isResumed)
        {
            Interlocked.Increment(ref _handshakesResumed);
        }
    }

    public void AddFailed() => Interlocked.Increment(ref _handshakesFailed);

    public void AddRefused() => Interlocked.Increment(ref _handshakesRefused);

    public void AddCookie() => Interlocked.Increment(ref _cookiesSent);

    public void AddMove() => Interlocked.Increment(ref _addressChanges);

    public void AddEnd(DtlsEnd reason) => Interlocked.Increment(ref _ended[(int)reason]);
}
