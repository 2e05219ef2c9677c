namespace CoAP.NET.Cluster;

/// <summary>
/// A store could not do what it was asked for. A write may have taken effect or not; if it has, then before everything that the same store
/// is asked for later. <see cref="Fault"/> says why; the message says what to do, and holds no secret.
/// </summary>
public sealed class CoapClusterStoreException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="fault">Why.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public CoapClusterStoreException(CoapClusterStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>Why.</summary>
    public CoapClusterStoreFault Fault { get; }

    /// <summary>Whether asking again may help without anybody doing anything.</summary>
    public bool IsTransient => Fault is CoapClusterStoreFault.Unavailable or CoapClusterStoreFault.TimedOut or CoapClusterStoreFault.Full
        or CoapClusterStoreFault.Busy or CoapClusterStoreFault.InUse;
}
