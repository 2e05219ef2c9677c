namespace CoAP.NET.Oscore;

/// <summary>
/// What must outlive a restart of a security context could not be read or noted. Nothing was sent, as a sequence number could have been
/// used twice. <see cref="Fault"/> says why; the message says what to do, and holds no secret.
/// </summary>
public sealed class OscoreStoreException : CoapException
{
    /// <summary>Makes an exception.</summary>
    /// <param name="fault">Why.</param>
    /// <param name="message">What happened and what to do.</param>
    /// <param name="innerException">What caused it.</param>
    public OscoreStoreException(OscoreStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>Why.</summary>
    public OscoreStoreFault Fault { get; }
}
