namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// The server's side of a key exchange whose last message travels with the first protected request, such as message_3 of EDHOC (RFC 9668
/// section 3).
/// </summary>
/// <remarks>
/// It runs before OSCORE: it removes its message from the request and creates the security context with which OSCORE verifies the rest.
/// Register it in <see cref="OscoreContexts.KeyExchange"/>. Thread-safe.
/// </remarks>
internal abstract class OscoreCombinedRequestServer
{
    /// <summary>Whether a request carries such a message. Called for every request, so it must be quick.</summary>
    /// <param name="request">The received request. Do not modify it.</param>
    /// <returns>True if it does; without the OSCORE option such a request then gets 4.00.</returns>
    public abstract bool IsIn(CoapMessage request);

    /// <summary>Completes the key exchange.</summary>
    /// <param name="channel">The peer that sent the request.</param>
    /// <param name="request">The received request. Do not modify it.</param>
    /// <param name="kid">The kid of its OSCORE option.</param>
    /// <returns>The request for OSCORE to verify, or the answer after a failure. An exception drops the request.</returns>
    /// <remarks>
    /// Receive threads call it without any lock: it must not block. Any sender of a request can cause a call, so limit its cost.
    /// </remarks>
    public abstract ValueTask<OscoreKeyExchangeServerResult> FinishAsync(
        CoapChannel channel, CoapMessage request, ReadOnlyMemory<byte> kid);
}
