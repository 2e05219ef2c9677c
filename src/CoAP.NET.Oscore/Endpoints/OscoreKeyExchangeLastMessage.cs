namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// The client's side of a key exchange whose last message travels with the first protected request, such as message_3 of EDHOC (RFC 9668
/// section 3).
/// </summary>
/// <remarks>
/// The first request that its <see cref="OscoreContext"/> protects carries the message, and the others wait until the response to it is
/// verified. If no response comes, each request carries it again. Thread-safe.
/// </remarks>
internal abstract class OscoreKeyExchangeLastMessage
{
    /// <summary>
    /// Maximum number of bytes that <see cref="AddTo"/> adds to a request. The endpoint sizes the blocks of bodies accordingly.
    /// </summary>
    public abstract int Overhead { get; }

    /// <summary>Whether requests carry the message. Default true.</summary>
    /// <remarks>
    /// False if it was sent before: then no request waits for another, the endpoint does not call <see cref="AddTo"/>, and only
    /// <see cref="OnConfirmed"/> reports that the server has the keys.
    /// </remarks>
    public virtual bool BringsMessage => true;

    /// <summary>Adds the last message of the key exchange to a request.</summary>
    /// <param name="request">The request that OSCORE has protected; modified in place.</param>
    /// <remarks>The library may hold a lock, so the method must be quick and must not call other code.</remarks>
    public abstract void AddTo(CoapMessage request);

    /// <summary>Handles the first verified message of the peer, which proves that the peer has the keys.</summary>
    /// <remarks>Called without any lock; it must be quick. The default does nothing.</remarks>
    public virtual void OnConfirmed()
    {
    }

    /// <summary>Explains why the request with the last message got an unprotected answer.</summary>
    /// <returns>The exception for the request; null, the default, for a <see cref="CoapUnprotectedResponseException"/>.</returns>
    public virtual CoapException? ErrorOf(CoapMessage answer) => null;
}
