using System.Net;
using System.Security.Cryptography.X509Certificates;

namespace CoAP.NET.Hosting;

/// <summary>The input of an authorization policy: the request, its peer and its route.</summary>
public sealed class CoapAuthorizationContext
{
    internal CoapAuthorizationContext(CoapRequestContext request, CoapRouteInfo route)
    {
        Request = request;
        Route = route;
    }

    /// <summary>The request.</summary>
    /// <remarks>
    /// A policy runs twice for a request whose body comes in several blocks. The first call is for the first block, where
    /// <see cref="CoapRequestContext.IsBodyPending"/> is true and the payload is that block, so that strangers cannot fill the memory for
    /// bodies. The second call is for the complete request.
    /// </remarks>
    public CoapRequestContext Request { get; }

    /// <summary>The route that serves it.</summary>
    public CoapRouteInfo Route { get; }

    /// <summary>The peer that sent the request.</summary>
    public CoapPeer Peer => Request.Peer;

    /// <summary>The identity of the peer; null if there is none.</summary>
    /// <remarks>
    /// For example a <see cref="CoapTlsPeerIdentity"/>, on <c>coaps</c> a <c>CoapDtlsPeerIdentity</c>, and for a request under OSCORE an
    /// <c>OscoreIdentity</c> over any transport. In a web application it is a <see cref="CoapUserPeerIdentity"/>. Check
    /// <see cref="IsKnown"/> first: some peers with an identity object have proved nothing.
    /// </remarks>
    public ICoapPeerIdentity? Identity => Request.Channel?.Identity;

    /// <summary>Whether the peer has proved its identity; see <see cref="CoapPeer.IsKnown"/>.</summary>
    public bool IsKnown => Request.Channel is not null && Peer.IsKnown;

    /// <summary>The certificate that the peer showed; null without one. It lives as long as its connection.</summary>
    public X509Certificate2? Certificate => Identity?.Certificate;

    /// <summary>The identity of the pre-shared key that the peer proved on <c>coaps</c> (RFC 4279); null without one.</summary>
    public string? PskIdentity => Identity?.PskIdentity;

    /// <summary>The scheme of the transport of the request, such as <c>coap</c>.</summary>
    public string Scheme => Request.Channel?.Transport.Scheme ?? string.Empty;

    /// <summary>Whether DTLS or TLS protects the transport.</summary>
    public bool IsSecure => Request.Channel is { Transport.IsSecure: true };

    /// <summary>Whether the peer has proved its address: by a valid Echo (RFC 9175) or a finished handshake.</summary>
    public bool IsVerified => Request.Channel is { IsVerified: true };

    /// <summary>The peer's address.</summary>
    public IPAddress Address => Peer.Address.ToIPAddress();

    /// <summary>The services for the request; null without a host.</summary>
    public IServiceProvider? Services => Request.Services;
}
