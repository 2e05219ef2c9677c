using CoAP.NET.Mesh;

namespace CoAP.NET.Oscore;

/// <summary>
/// The server's side of a key exchange whose last message comes together with the first protected request, as message_3 of EDHOC does (RFC
/// 9668 section 3). It stands before OSCORE: it takes its message out of the request and makes the security context, by which OSCORE
/// verifies what is left. Register it by <see cref="OscoreContexts.KeyExchange"/>. Thread-safe.
/// </summary>
public abstract class OscoreKeyExchangeServer
{
    /// <summary>Whether a request brings such a message. Called for every request, so it must be quick.</summary>
    /// <param name="request">The request as it came. Not to be changed.</param>
    /// <returns>Whether it does; one without the OSCORE option is answered 4.00 then.</returns>
    public abstract bool IsIn(CoapMessage request);

    /// <summary>
    /// Ends the key exchange. Called without any lock, by a thread that receives: it must not block. Whoever sends a request can cause it,
    /// so bound what it costs.
    /// </summary>
    /// <param name="channel">The peer that brought the request.</param>
    /// <param name="request">The request as it came. Not to be changed.</param>
    /// <param name="kid">The kid of its OSCORE option.</param>
    /// <returns>The request that OSCORE has to verify, or the answer of one that failed. What it throws drops the request.</returns>
    public abstract ValueTask<OscoreKeyExchangeResult> FinishAsync(CoapChannel channel, CoapMessage request, ReadOnlyMemory<byte> kid);
}
