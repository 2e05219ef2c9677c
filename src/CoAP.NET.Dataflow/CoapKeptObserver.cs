namespace CoAP.NET;

/// <summary>
/// A client that observes a resource, with all that another process needs to go on with it: who it is, and its registration (RFC 7641
/// section 3.1). What is observed is named by the request, so it means the same after a restart and at other servers.
/// </summary>
public sealed class CoapKeptObserver
{
    /// <summary>Makes one of what was kept.</summary>
    /// <param name="peer">The client. In another process that of the same session: see <see cref="CoapPeer.DurableId"/>.</param>
    /// <param name="request">The registration: method, token, options with Observe 0, and the payload of a FETCH. Not to be changed
    /// afterwards.</param>
    /// <param name="format">The Content-Format of what the client was sent; null when it had none, or is not known.</param>
    public CoapKeptObserver(CoapPeer peer, CoapMessage request, CoapContentFormat? format = null)
    {
        ArgumentNullException.ThrowIfNull(peer);
        ArgumentNullException.ThrowIfNull(request);
        Peer = peer;
        Request = request;
        Format = format;
    }

    /// <summary>The client.</summary>
    public CoapPeer Peer { get; }

    /// <summary>
    /// Its registration. <see cref="CoAP.NET.Serialization.CoapDatagramSerializer"/> makes bytes of it and reads them.
    /// </summary>
    public CoapMessage Request { get; }

    /// <summary>
    /// The Content-Format of what the client was sent, which must stay the same (RFC 7641 section 4.2); null when it had none, or is not
    /// known: then the next representation decides.
    /// </summary>
    public CoapContentFormat? Format { get; }

    /// <summary>
    /// Where the sequence numbers of its notifications begin when it is put back (RFC 7641 section 4.4), as a time, since the clock counts
    /// them: for a client that may have been put back at another server a moment ago, whose clock is ahead of this one's. Null (the
    /// default): 60 s ahead of this server's clock, which is newer than what a server with the same clock said. A keeper is not told it.
    /// </summary>
    public DateTimeOffset? NumbersFrom { get; init; }
}
