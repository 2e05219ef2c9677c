using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore;

/// <summary>A security context has no sequence number: its store failed, or all numbers are used.</summary>
/// <remarks>
/// The endpoint sent nothing, because a sequence number could have occurred twice. <see cref="Fault"/> has the reason; the message says
/// what to do, and contains no secret.
/// </remarks>
public sealed class OscoreStoreException : CoapException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="fault">The reason.</param>
    /// <param name="message">The event and what to do about it.</param>
    /// <param name="innerException">The cause.</param>
    public OscoreStoreException(OscoreStoreFault fault, string message, Exception? innerException = null)
        : base(message, innerException) => Fault = fault;

    /// <summary>The reason.</summary>
    public OscoreStoreFault Fault { get; }

    /// <summary>The context, and what relays its requests, if another node has it; otherwise null.</summary>
    internal (IOscoreContextLocator Locator, OscoreStoreKey Key)? Elsewhere { get; init; }
}
