namespace CoAP.NET.Cluster;

/// <summary>The reason why a request to a device failed. The numbers are stored in databases and never change.</summary>
public enum CoapDeviceFault : byte
{
    /// <summary>
    /// The outbox of the device, the share of the caller, or the node is full. The request was not accepted: try again later.
    /// </summary>
    Full = 0,

    /// <summary>The request is larger than the outbox accepts, or its body is a stream. It was not accepted.</summary>
    TooLarge = 1,

    /// <summary>Its lifetime in the outbox ended before the device was awake. It was not sent.</summary>
    Expired = 2,

    /// <summary>It was canceled before it was sent from the outbox.</summary>
    Cancelled = 3,

    /// <summary>
    /// It was sent from the outbox without an answer, or the node that sent it died: it may have taken effect. Read the state before you
    /// repeat it.
    /// </summary>
    PerhapsSent = 4,

    /// <summary>The request failed for another reason, such as a rejection by the device; see the message.</summary>
    Failed = 5,

    /// <summary>No request with this id is in the outbox: it never existed, or its outcome was forgotten.</summary>
    Forgotten = 6,

    /// <summary>
    /// No node has ever seen the device, or the cluster has forgotten it: the name is wrong, or the device has not connected yet. Nothing
    /// was sent.
    /// </summary>
    Unknown = 7,

    /// <summary>
    /// The device has no session with any node, or did not answer recently. It is reachable after its next message: try again then, or put
    /// the request into its outbox.
    /// </summary>
    Asleep = 8,

    /// <summary>
    /// The device did not answer although it is not known to be asleep: a timeout, the end of its session, or an unreachable node.
    /// <see cref="CoapException.IsOutcomeUnknown"/> tells whether the request may have taken effect.
    /// </summary>
    Unreachable = 9,
}
