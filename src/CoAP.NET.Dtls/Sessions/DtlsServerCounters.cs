using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Steering;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Counts events of a server since its creation. Thread-safe.</summary>
/// <param name="endpoint">The counters of the endpoint, for events that its owner should watch; null for none.</param>
internal sealed class DtlsServerCounters(CoapCounters? endpoint = null)
{
    private static readonly int s_reasons = Enum.GetValues<DtlsSessionEndReason>().Length;

    private readonly long[] _ended = new long[s_reasons];
    private long _recordsForged;
    private long _recordsReplayed;
    private long _recordsIgnored;
    private long _handshakesStarted;
    private long _handshakesCompleted;
    private long _handshakesResumed;
    private long _handshakesFailed;
    private long _handshakesEvicted;
    private long _cookiesSent;
    private long _addressChanges;
    private long _resumptionFailures;
    private long _earlyDropped;

    /// <summary>Records that were sealed with other keys than those of their session or handshake.</summary>
    public long RecordsForged => Volatile.Read(ref _recordsForged);

    /// <summary>Records whose number came before, or is older than the window.</summary>
    public long RecordsReplayed => Volatile.Read(ref _recordsReplayed);

    /// <summary>
    /// Records, or rests of datagrams, without effect: malformed, too short, too long, of another epoch, or for no session here. Also
    /// datagrams that came while the server processed none (<see cref="CoapDtlsSteeringContext.ServeFor"/>).
    /// </summary>
    public long RecordsIgnored => Volatile.Read(ref _recordsIgnored);

    /// <summary>Handshakes with clients that returned their cookie.</summary>
    public long HandshakesStarted => Volatile.Read(ref _handshakesStarted);

    /// <summary>Handshakes that established a session.</summary>
    public long HandshakesCompleted => Volatile.Read(ref _handshakesCompleted);

    /// <summary>Handshakes that resumed an earlier session.</summary>
    public long HandshakesResumed => Volatile.Read(ref _handshakesResumed);

    /// <summary>Handshakes that failed.</summary>
    public long HandshakesFailed => Volatile.Read(ref _handshakesFailed);

    /// <summary>Handshakes that the server gave up because others needed their place.</summary>
    public long HandshakesEvicted => Volatile.Read(ref _handshakesEvicted);

    /// <summary>HelloVerifyRequests sent.</summary>
    public long CookiesSent => Volatile.Read(ref _cookiesSent);

    /// <summary>Changes of a session's peer address.</summary>
    public long AddressChanges => Volatile.Read(ref _addressChanges);

    /// <summary>Calls to a shared store of resumable sessions that failed, took too long, or did not take place.</summary>
    public long ResumptionFailures => Volatile.Read(ref _resumptionFailures);

    /// <summary>Records that the server dropped because they came before their session could answer.</summary>
    public long EarlyRecordsDropped => Volatile.Read(ref _earlyDropped);

    /// <summary>Returns the number of ended sessions.</summary>
    /// <param name="reason">The reason.</param>
    public long SessionsEnded(DtlsSessionEndReason reason) => Volatile.Read(ref _ended[(int)reason]);

    public void AddForged(long count)
    {
        Interlocked.Add(ref _recordsForged, count);
        endpoint?.Add(CoapCounter.RecordsForged, count);
    }

    public void AddReplayed()
    {
        Interlocked.Increment(ref _recordsReplayed);
        endpoint?.Add(CoapCounter.RecordsReplayed);
    }

    public void AddResumptionFailure()
    {
        Interlocked.Increment(ref _resumptionFailures);
        endpoint?.Add(CoapCounter.ResumptionStoreFailures);
    }

    public void AddEarlyDropped(long count)
    {
        Interlocked.Add(ref _earlyDropped, count);
        endpoint?.Add(CoapCounter.HeldRecordsDropped, count);
    }

    public void AddRequestInDoubt() => endpoint?.Add(CoapCounter.RequestsInDoubt);

    public void AddRejected() => endpoint?.Add(CoapCounter.RecordsRejected);

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

    public void AddEvicted()
    {
        Interlocked.Increment(ref _handshakesEvicted);
        endpoint?.Add(CoapCounter.HandshakesEvicted);
    }

    public void AddCookie()
    {
        Interlocked.Increment(ref _cookiesSent);
        endpoint?.Add(CoapCounter.CookiesSent);
    }

    public void AddMove() => Interlocked.Increment(ref _addressChanges);

    public void AddEnd(DtlsSessionEndReason reason)
    {
        Interlocked.Increment(ref _ended[(int)reason]);
        if (reason == DtlsSessionEndReason.Evicted)
        {
            endpoint?.Add(CoapCounter.SessionsEvicted);
        }
    }
}
