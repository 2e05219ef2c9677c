using System.Net;
using System.Net.Sockets;
using System.Security.Claims;
using System.Security.Principal;
using CoAP.NET.Transports;

namespace CoAP.NET.Hosting;

/// <summary>By what requests are told apart that each have a limit of their own.</summary>
public static class CoapRateLimitKey
{
    /// <summary>
    /// The peer's address without port; of IPv6 the first 64 bits, as one host can take any address behind them. Over <c>coap</c> addresses can be forged: put
    /// <see cref="CoapAuthorizationPolicyBuilder.RequireVerifiedAddress"/> before a limit that must not be used up by others.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The address; of IPv6 the prefix, with zeros behind it.</returns>
    public static IPAddress Address(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Of(request.Peer.Address);
    }

    /// <summary>
    /// Who the peer is, if it has proven that (<see cref="CoapPeer.IsKnown"/>); otherwise its <see cref="Address"/>. Two keys are equal when they mean the same peer, over however many connections:
    /// identities of DTLS and TLS compare by credentials; a <see cref="ClaimsPrincipal"/> or <see cref="IIdentity"/> counts by its name identifier (<see cref="ClaimTypes.NameIdentifier"/>, <c>sub</c>),
    /// without one by its name, each with who issued it, and without either by the address. Identities of your own types must have value equality.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>The identity, a key made of the user, or the address.</returns>
    public static object Identity(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        if (!request.Peer.IsKnown)
        {
            return Address(request);
        }

        return request.Peer.Identity switch
        {
            ClaimsPrincipal user => (object?)UserKey.Of(user) ?? Address(request),
            IPrincipal user => (object?)UserKey.Of(user.Identity) ?? Address(request),
            IIdentity user => (object?)UserKey.Of(user) ?? Address(request),
            object identity => identity,
            null => Address(request),
        };
    }

    internal static IPAddress Of(in CoapAddress remote)
    {
        IPAddress address = remote.ToIPAddress();
        if (address.IsIPv4MappedToIPv6)
        {
            return address.MapToIPv4();
        }

        if (address.AddressFamily != AddressFamily.InterNetworkV6)
        {
            return address;
        }

        Span<byte> bytes = stackalloc byte[16];
        address.TryWriteBytes(bytes, out _);
        bytes[8..].Clear();
        return new IPAddress(bytes);
    }
}
