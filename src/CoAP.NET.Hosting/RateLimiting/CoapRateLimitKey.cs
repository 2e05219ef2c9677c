using System.Net;
using System.Security.Claims;
using System.Security.Principal;

namespace CoAP.NET.Hosting;

/// <summary>
/// Partition keys for rate limits. Both are parts of the peer's <see cref="CoapSource"/>, which the library's own limits use too.
/// </summary>
public static class CoapRateLimitKey
{
    /// <summary>
    /// Returns the peer's address without port; for IPv6 only the first <see cref="CoapLimits.SourcePrefixLength"/> bits.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The address; for IPv6 the prefix, padded with zeros.</returns>
    /// <remarks>
    /// One customer of a provider can use any IPv6 address with the same prefix. Senders can forge addresses over <c>coap</c>: add
    /// <see cref="CoapAuthorizationPolicyBuilder.RequireVerifiedAddress"/> before a limit that others must not exhaust.
    /// </remarks>
    public static IPAddress Address(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Peer.Source.Address;
    }

    /// <summary>
    /// Returns the identity of the peer, if proven (<see cref="CoapPeer.IsKnown"/>); otherwise its <see cref="Address"/>.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The identity, a key derived from the user, or the address.</returns>
    /// <remarks>
    /// Two keys are equal if they mean the same peer, over any number of connections. Identities of DTLS and TLS compare by credentials. A
    /// <see cref="ClaimsPrincipal"/> or <see cref="IIdentity"/> counts by its name identifier (<see cref="ClaimTypes.NameIdentifier"/>,
    /// <c>sub</c>), without one by its name, each with its issuer, and without either by the address. Identities of your own types must
    /// have value equality.
    /// </remarks>
    public static object Identity(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapSource source = request.Peer.Source;
        return source.Identity ?? source.Address;
    }
}
