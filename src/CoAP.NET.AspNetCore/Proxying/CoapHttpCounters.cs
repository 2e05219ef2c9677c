namespace CoAP.NET.AspNetCore.Proxying;

/// <summary>
/// Counters of a path that serves CoAP resources to HTTP clients, since its start; see <see cref="CoapHttpToCoapOptions.Counters"/>.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class CoapHttpCounters
{
    private readonly Func<long> _shared;
    private long _requests;
    private long _busy;
    private long _denied;
    private long _stalled;
    private long _inProgress;

    public CoapHttpCounters(Func<long> shared) => _shared = shared;

    /// <summary>Received requests, including those for events and WebSockets.</summary>
    public long Requests => Interlocked.Read(ref _requests);

    /// <summary>The current number of pending requests, including open event streams and WebSockets.</summary>
    public long InProgress => Interlocked.Read(ref _inProgress);

    /// <summary>Requests refused for lack of room (503), in total or in the share of their source.</summary>
    public long Busy => Interlocked.Read(ref _busy);

    /// <summary>Requests refused because their target, or an address of its name, is not allowed (403).</summary>
    public long TargetsDenied => Interlocked.Read(ref _denied);

    /// <summary>Event streams and WebSockets aborted because their client did not read, and request bodies that came too slowly.</summary>
    public long Stalled => Interlocked.Read(ref _stalled);

    /// <summary>Requests that shared the response to an equal pending request.</summary>
    public long Shared => _shared();

    public void CountBusy() => Interlocked.Increment(ref _busy);

    public void CountDenied() => Interlocked.Increment(ref _denied);

    public void CountStalled() => Interlocked.Increment(ref _stalled);

    public void Begin()
    {
        Interlocked.Increment(ref _requests);
        Interlocked.Increment(ref _inProgress);
    }

    public void End() => Interlocked.Decrement(ref _inProgress);
}
