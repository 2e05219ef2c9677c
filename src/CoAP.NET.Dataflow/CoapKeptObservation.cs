using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// An observation of a resource at a server or device (RFC 7641 section 3), with all that another process needs to go on with it: where it
/// is, and its registration with the token. <see cref="CoapObservation.KeepAsync"/> makes one, and
/// <see cref="CoapAdoptions"/> goes on with it.
/// </summary>
public sealed class CoapKeptObservation
{
    /// <summary>Makes one of what was kept of a resource of a peer.</summary>
    /// <param name="peer">Whose resource it is. In another process that of the same session: see <see cref="CoapPeer.DurableId"/>.</param>
    /// <param name="request">The registration: GET, or FETCH with its payload, with a token of 1 to 8 bytes. Not to be changed afterwards.
    /// </param>
    /// <exception cref="ArgumentException">It is neither GET nor FETCH, or its token is empty or too long.</exception>
    public CoapKeptObservation(CoapPeer peer, CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(peer);
        Peer = peer;
        Request = Checked(request);
    }

    /// <summary>Makes one of what was kept of a resource at an address, over datagrams without a session.</summary>
    /// <param name="uri">Where the server is: scheme, host and port. What is observed there, the options of the registration say. With a
    /// host name, <see cref="Address"/> says where the registration stands.</param>
    /// <param name="request">The registration; see the other constructor.</param>
    /// <exception cref="ArgumentException">It is neither GET nor FETCH, or its token is empty or too long.</exception>
    public CoapKeptObservation(string uri, CoapMessage request)
    {
        ArgumentException.ThrowIfNullOrEmpty(uri);
        Uri = uri;
        Request = Checked(request);
    }

    /// <summary>Whose resource it is; null when <see cref="Uri"/> says it.</summary>
    public CoapPeer? Peer { get; }

    /// <summary>Where the server is; null when <see cref="Peer"/> says it.</summary>
    public string? Uri { get; }

    /// <summary>
    /// The registration, with its token. <see cref="CoAP.NET.Serialization.CoapDatagramSerializer"/> makes bytes of it and reads them.
    /// </summary>
    public CoapMessage Request { get; }

    /// <summary>At which address of the host of <see cref="Uri"/> the registration stands; null for the address in the URI.</summary>
    public CoapAddress? Address { get; init; }

    /// <summary>
    /// What was heard last. Null: nothing yet, or it is not known that the server has the registration; whoever adopts it then registers
    /// with the same token, in the place of what may be there.
    /// </summary>
    public CoapHeardNotification? Heard { get; init; }

    private static CoapMessage Checked(CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException($"{request.Code} cannot be observed; GET and FETCH can (RFC 7641 section 1.2, RFC 8132 section 2).",
                nameof(request));
        }

        return request.Token.Length is > 0 and <= CoapToken.MaxLength
            ? request
            : throw new ArgumentException(
                $"The token of a registration that can be adopted has 1 to {CoapToken.MaxLength} bytes, and not {request.Token.Length}.",
                nameof(request));
    }
}
