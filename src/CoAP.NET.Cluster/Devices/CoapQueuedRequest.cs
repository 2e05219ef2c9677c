namespace CoAP.NET.Cluster;

/// <summary>A request in the outbox of a device.</summary>
public sealed class CoapQueuedRequest
{
    internal CoapQueuedRequest(
        Guid id, string device, CoapCode method, string path, string caller, DateTimeOffset queued, DateTimeOffset expires, bool isSent)
    {
        Id = id;
        Device = device;
        Method = method;
        Path = path;
        Caller = caller;
        Queued = queued;
        Expires = expires;
        IsSent = isSent;
    }

    /// <summary>The id for waiting and cancellation, on any node.</summary>
    public Guid Id { get; }

    /// <summary>The name of the device.</summary>
    public string Device { get; }

    /// <summary>The method.</summary>
    public CoapCode Method { get; }

    /// <summary>The decoded path.</summary>
    public string Path { get; }

    /// <summary>The caller whose share it takes.</summary>
    public string Caller { get; }

    /// <summary>The time at which it entered the outbox.</summary>
    public DateTimeOffset Queued { get; }

    /// <summary>The time at which it expires.</summary>
    public DateTimeOffset Expires { get; }

    /// <summary>Whether it was sent and is still unanswered.</summary>
    public bool IsSent { get; }
}
