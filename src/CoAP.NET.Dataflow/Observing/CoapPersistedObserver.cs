namespace CoAP.NET.Observing;

/// <summary>
/// A client that observes a resource, in a form that another process can take over: the client and its registration (RFC 7641 section 3.1).
/// </summary>
/// <remarks>The request names the resource, so it has the same meaning after a restart and at other servers.</remarks>
internal sealed class CoapPersistedObserver
{
    /// <summary>Creates an observer from stored values.</summary>
    /// <param name="peer">The client. In another process, the peer of the same session: see <see cref="CoapPeer.DurableId"/>.</param>
    /// <param name="request">The registration: method, token, options with Observe 0, and the payload of a FETCH. Do not change it
    /// afterwards.</param>
    /// <param name="format">The Content-Format of the previous notifications; null if they had none, or if it is unknown.</param>
    public CoapPersistedObserver(CoapPeer peer, CoapMessage request, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(request);
        Peer = peer;
        Request = request;
        Format = format;
    }

    public CoapPeer Peer { get; }

    /// <summary>The registration.</summary>
    /// <remarks><see cref="CoAP.NET.CoapDatagramSerializer"/> converts it to bytes and back.</remarks>
    public CoapMessage Request { get; }

    /// <summary>
    /// The Content-Format of the previous notifications, which must stay the same (RFC 7641 section 4.2); null if they had none, or if it
    /// is unknown: then the next representation decides.
    /// </summary>
    public CoapContentFormat? Format { get; }

    /// <summary>
    /// The start of the sequence numbers of its notifications after it is restored (RFC 7641 section 4.4), as a time, because the clock
    /// counts them.
    /// </summary>
    /// <remarks>
    /// Set it if another server, whose clock may be ahead of this one, may have restored the client a moment ago. Null (the default): 60 s
    /// ahead of this server's clock, which is newer than the numbers of any server with the same clock. Observer stores do not receive it.
    /// </remarks>
    public DateTimeOffset? NumbersFrom { get; init; }
}
