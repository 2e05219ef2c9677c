namespace CoAP.NET.Cluster;

/// <summary>The reason why a request from the outbox of a device failed. The numbers are stored in databases and never change.</summary>
public enum CoapDeviceQueueFault : byte
{
    /// <summary>
    /// The outbox of the device, the share of the caller, or the node is full. The request was not accepted: try again later.
    /// </summary>
    Full = 0,

    /// <summary>The request is larger than a record, or its body is a stream. It was not accepted.</summary>
    TooLarge = 1,

    /// <summary>Its lifetime ended before the device was awake. It was not sent.</summary>
    Expired = 2,

    /// <summary>It was canceled before it was sent.</summary>
    Cancelled = 3,

    /// <summary>
    /// It was sent without an answer, or the node that sent it died: it may have taken effect. Read the state before you repeat it.
    /// </summary>
    PerhapsSent = 4,

    /// <summary>The request failed for a permanent reason; see the message.</summary>
    Failed = 5,

    /// <summary>No request with this id is known: it never existed, or its outcome was forgotten.</summary>
    Forgotten = 6,
}
