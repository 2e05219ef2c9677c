using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster;

/// <summary>A store failed. The message has the reason and the remedy, and no secret.</summary>
/// <remarks>A write may or may not have taken effect; if it has, then before all later calls of the same store.</remarks>
public sealed class CoapClusterStoreException : CoapException
{
    /// <summary>Creates an exception.</summary>
    internal CoapClusterStoreException(CoapClusterStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>Whether a retry may succeed without any intervention.</summary>
    public bool IsTransient => Fault is CoapClusterStoreFault.Unavailable or CoapClusterStoreFault.TimedOut or CoapClusterStoreFault.Full
        or CoapClusterStoreFault.Busy or CoapClusterStoreFault.InUse;

    internal CoapClusterStoreFault Fault { get; }
}
