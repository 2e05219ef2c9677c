namespace CoAP.NET.AspNetCore;

/// <summary>
/// What a path of a web application that serves CoAP resources has done so far; see <see cref="CoapHttpExchangeOptions.Counters"/>.
/// Thread-safe.
/// </summary>
public sealed class CoapHttpCounters
{
    private readonly Func<long> _shared;
    private long _requests;
    private long _busy;
    private long _denied;
    private long _stalled;
    private long _underWay;

    internal CoapHttpCounters(Func<long> shared) => _shared = shared;

    /// <summary>Requests that came, with those for events and WebSockets.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>Requests, with open event streams and WebSockets, that are under way at the moment.</summary>
    public long UnderWay => Interlocked.Read(ref _underWay);

    /// <summary>Requests that were refused for lack of room (503): in all, or of the share of their source.</summary>
    public long Busy => Interlocked.Read(ref _busy);

    /// <summary>Requests that were refused as their target is not allowed (403), also because of the address that its name stands
    /// for.</summary>
    public long TargetsDenied => Interlocked.Read(ref _denied);

    /// <summary>Event streams and WebSockets that were cut off as their client did not read, and request bodies that did not come in
    /// time.</summary>
    public long Stalled => Interlocked.Read(ref _stalled);

    /// <summary>Requests that got the answer of an equal one, which was under way.</summary>
    public long Shared => _shared();

    internal void CountBusy() => Interlocked.Increment(ref _busy);

    internal void CountDenied() => Interlocked.Increment(ref _denied);

    internal void CountStalled() => Interlocked.Increment(ref _stalled);

    internal void Begin()
    {
        Interlocked.Increment(ref _requests);
        Interlocked.Increment(ref _underWay);
    }

    internal void End() => Interlocked.Decrement(ref _underWay);
}
