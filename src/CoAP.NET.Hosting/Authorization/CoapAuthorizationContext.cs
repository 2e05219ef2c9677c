using System.Net;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls;
using CoAP.NET.Oscore;
using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>Who asks, and for what: what a policy decides by.</summary>
public sealed class CoapAuthorizationContext
{
    internal CoapAuthorizationContext(CoapRequest request, CoapRouteInfo route)
    {
        Request = request;
        Route = route;
    }

    /// <summary>
    /// The request. A policy is asked twice about one whose body comes in several blocks: about its first block, where
    /// <see cref="CoapRequest.IsBodyPending"/> is true and the payload is that block, so that strangers do not fill the memory for bodies;
    /// and about the whole.
    /// </summary>
    public CoapRequest Request { get; }

    /// <summary>The route that serves it.</summary>
    public CoapRouteInfo Route { get; }

    /// <summary>Who asks.</summary>
    public CoapPeer Peer => Request.Peer;

    /// <summary>
    /// The identity of the peer, such as a <see cref="CoapTlsIdentity"/>, on <c>coaps</c> a <see cref="CoapDtlsIdentity"/>, of a request
    /// under OSCORE an <see cref="OscoreIdentity"/> whatever its transport, in a web application a
    /// <see cref="System.Security.Claims.ClaimsPrincipal"/>; null when there is none. Ask <see cref="IsKnown"/> before: there are
    /// identities of peers that have proven nothing.
    /// </summary>
    public object? Identity => Request.Channel?.Identity;

    /// <summary>Whether the peer has proven who it is; see <see cref="CoapPeer.IsKnown"/>.</summary>
    public bool IsKnown => Request.Channel is not null && Peer.IsKnown;

    /// <summary>The certificate that the peer showed; null when it showed none. It lives as long as its connection.</summary>
    public X509Certificate2? Certificate => (Identity as ICoapPeerIdentity)?.Certificate;

    /// <summary>The identity of the pre-shared key that the peer proved on <c>coaps</c> (RFC 4279); null when it used none.</summary>
    public string? PskIdentity => (Identity as CoapDtlsIdentity)?.PskIdentity;

    /// <summary>Who has the keys of the security context that protects the request (RFC 8613); null when it came without OSCORE.</summary>
    public OscoreIdentity? Oscore => Identity as OscoreIdentity;

    /// <summary>The scheme of the transport that the request came by, such as <c>coap</c>.</summary>
    public string Scheme => Request.Channel?.Transport.Scheme ?? string.Empty;

    /// <summary>Whether the transport is protected by DTLS or TLS.</summary>
    public bool IsSecure => Request.Channel is { Transport.IsSecure: true };

    /// <summary>Whether it was proven that the peer receives at its address: by a valid Echo (RFC 9175) or a finished handshake.</summary>
    public bool IsVerified => Request.Channel is { IsVerified: true };

    /// <summary>The peer's address.</summary>
    public IPAddress Address => Peer.Address.ToIPAddress();

    /// <summary>The services for the request; null without a host.</summary>
    public IServiceProvider? Services => Request.Services;
}
