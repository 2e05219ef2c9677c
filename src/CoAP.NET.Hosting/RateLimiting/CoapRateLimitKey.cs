using System.Net;
using System.Security.Claims;
using System.Security.Principal;

namespace CoAP.NET.Hosting;

/// <summary>
/// By what requests are told apart that each have a limit of their own. Both are parts of the peer's <see cref="CoapSource"/>, by which the
/// bounds of the library count too.
/// </summary>
public static class CoapRateLimitKey
{
    /// <summary>
    /// The peer's address without port; of IPv6 the first <see cref="CoapLimits.SourcePrefixLength"/> bits, as one customer of a provider
    /// can take any address behind them. Over <c>coap</c> addresses can be forged: put
    /// <see cref="CoapAuthorizationPolicyBuilder.RequireVerifiedAddress"/> before a limit that must not be used up by others.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The address; of IPv6 the prefix, with zeros behind it.</returns>
    public static IPAddress Address(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Peer.Source.Address;
    }

    /// <summary>
    /// Who the peer is, if it has proven that (<see cref="CoapPeer.IsKnown"/>); otherwise its <see cref="Address"/>. Two keys are equal
    /// when they mean the same peer, over however many connections: identities of DTLS and TLS compare by credentials; a
    /// <see cref="ClaimsPrincipal"/> or <see cref="IIdentity"/> counts by its name identifier (<see cref="ClaimTypes.NameIdentifier"/>,
    /// <c>sub</c>), without one by its name, each with who issued it, and without either by the address. Identities of your own types must
    /// have value equality.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The identity, a key made of the user, or the address.</returns>
    public static object Identity(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapSource source = request.Peer.Source;
        return source.Identity ?? source.Address;
    }
}
