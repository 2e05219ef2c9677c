namespace CoAP.NET;

/// <summary>A request was refused locally, before anything was sent, because too many wait for the same peer already.</summary>
public sealed class CoapBusyException : CoapException
{
    internal CoapBusyException(string target, int queued)
        : base($"Too many requests to {target} are outstanding: {queued} wait for their turn already. Send less at a time, or raise NStart or MaxQueuedRequests for this peer.")
    {
    }

    internal CoapBusyException(string message)
        : base(message)
    {
    }
}
