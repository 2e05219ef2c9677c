using System.Net;

namespace CoAP.NET;

/// <summary>
/// An observation of a resource at a server or device (RFC 7641 section 3) in a form that another process can take over: the address and
/// the registration with its token.
/// </summary>
/// <remarks><see cref="CoapObservation.ExportAsync"/> creates one, and <see cref="CoapEndpoint.ResumeObservationAsync"/> takes it
/// over.</remarks>
public sealed class CoapExportedObservation
{
    /// <summary>Creates the observation of a resource of a peer.</summary>
    /// <param name="peer">The peer that has the resource. In another process, the peer of the same session: see
    /// <see cref="CoapPeer.DurableId"/>.</param>
    /// <param name="request">The registration: GET, or FETCH with its payload, with a token of 1 to 8 bytes. Do not change it
    /// afterwards.</param>
    /// <exception cref="ArgumentException">The request is neither GET nor FETCH, or its token is empty or too long.</exception>
    public CoapExportedObservation(CoapPeer peer, CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(peer);
        Peer = peer;
        Request = Checked(request);
    }

    /// <summary>Creates the observation of a resource at an address, over datagrams without a session.</summary>
    /// <param name="uri">The server: scheme, host and port. The options of the registration name the resource. With a host name,
    /// <see cref="Address"/> is the address that has the registration.</param>
    /// <param name="request">The registration; see the other constructor.</param>
    /// <exception cref="ArgumentException">The URI is not an absolute CoAP URI, the request is neither GET nor FETCH, or its token is
    /// empty or too long.</exception>
    public CoapExportedObservation(CoapUri uri, CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri.RequireCoap(uri, nameof(uri));
        Uri = uri;
        Request = Checked(request);
    }

    /// <inheritdoc cref="CoapExportedObservation(CoapUri, CoapMessage)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public CoapExportedObservation(string uri, CoapMessage request)
        : this(CoapUri.FromString(uri), request)
    {
    }

    /// <summary>The peer that has the resource; null if <see cref="Uri"/> is set.</summary>
    public CoapPeer? Peer { get; }

    /// <summary>The server; null if <see cref="Peer"/> is set.</summary>
    public CoapUri? Uri { get; }

    /// <summary>The registration, with its token.</summary>
    /// <remarks><see cref="CoAP.NET.CoapDatagramSerializer"/> converts it to bytes and back.</remarks>
    public CoapMessage Request { get; }

    /// <summary>The address of the host of <see cref="Uri"/> that has the registration; null for the address in the URI.</summary>
    public IPEndPoint? Address { get; init; }

    /// <summary>The newest notification.</summary>
    /// <remarks>
    /// Null if there is none yet, or if it is unknown whether the server has the registration; resuming it then registers with the same
    /// token, which replaces an existing registration.
    /// </remarks>
    public CoapNotificationPosition? Heard { get; init; }

    private static CoapMessage Checked(CoapMessage request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (request.Code != CoapCode.Get && request.Code != CoapCode.Fetch)
        {
            throw new ArgumentException($"{request.Code} cannot be observed. Use GET or FETCH (RFC 7641 section 1.2, RFC 8132 section 2).",
                nameof(request));
        }

        return request.Token.Length is > 0 and <= CoapToken.MaxLength
            ? request
            : throw new ArgumentException(
                $"The token has {request.Token.Length} bytes; a registration that can be resumed needs a token of 1 to "
                    + $"{CoapToken.MaxLength} bytes.",
                nameof(request));
    }
}
