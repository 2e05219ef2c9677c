namespace CoAP.NET.Cluster;

/// <summary>
/// A store failed. A write may have taken effect or not; if it has, then before all later calls of the same store.
/// <see cref="Fault"/> tells the reason; the message says what to do, and contains no secret.
/// </summary>
public sealed class CoapClusterStoreException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapClusterStoreException(CoapClusterStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>The reason.</summary>
    public CoapClusterStoreFault Fault { get; }

    /// <summary>Whether a retry may succeed without any intervention.</summary>
    public bool IsTransient => Fault is CoapClusterStoreFault.Unavailable or CoapClusterStoreFault.TimedOut or CoapClusterStoreFault.Full
        or CoapClusterStoreFault.Busy or CoapClusterStoreFault.InUse;
}
