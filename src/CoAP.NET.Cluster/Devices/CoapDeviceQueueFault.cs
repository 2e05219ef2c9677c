namespace CoAP.NET.Cluster;

/// <summary>Why a request from the outbox of a device has no answer. The numbers stand in databases and never change.</summary>
public enum CoapDeviceQueueFault : byte
{
    /// <summary>The outbox of the device, the share of the caller, or the node has no room. It was not taken: try again later.</summary>
    Full = 0,

    /// <summary>The request is larger than a record can be, or its body comes from a stream. It was not taken.</summary>
    TooLarge = 1,

    /// <summary>Its lifetime ended before the device was awake. It was not sent.</summary>
    Expired = 2,

    /// <summary>It was cancelled before it was sent.</summary>
    Cancelled = 3,

    /// <summary>
    /// It was sent and not answered, or the node that sent it died: it may have taken effect. Ask for the state before doing it again.
    /// </summary>
    PerhapsSent = 4,

    /// <summary>The device could not be asked for a reason that will not pass; the message says which.</summary>
    Failed = 5,

    /// <summary>No request of that id is known: it never was, or its outcome was forgotten.</summary>
    Forgotten = 6,
}
