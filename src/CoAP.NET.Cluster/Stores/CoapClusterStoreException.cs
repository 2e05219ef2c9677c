namespace CoAP.NET.Cluster;

/// <summary>A store failed. <see cref="Fault"/> is the reason.</summary>
/// <remarks>
/// A write may or may not have taken effect; if it has, then before all later calls of the same store. The message contains the remedy, and
/// no secret.
/// </remarks>
public sealed class CoapClusterStoreException : CoapException
{
    /// <summary>Creates an exception.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="message">The description of the failure, with the remedy.</param>
    /// <param name="innerException">The cause.</param>
    public CoapClusterStoreException(CoapClusterStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>The reason.</summary>
    public CoapClusterStoreFault Fault { get; }

    /// <summary>Whether a retry may succeed without any intervention.</summary>
    public bool IsTransient => Fault is CoapClusterStoreFault.Unavailable or CoapClusterStoreFault.TimedOut or CoapClusterStoreFault.Full
        or CoapClusterStoreFault.Busy or CoapClusterStoreFault.InUse;
}
