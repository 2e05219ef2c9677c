using System.Net;
using System.Net.Sockets;
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

    /// <summary>Who the peer is, as its transport proved it; of peers without an identity their <see cref="Address"/>.</summary>
    /// <param name="request">The request.</param>
    /// <returns>The identity or the address.</returns>
    public static object Identity(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return request.Peer.Identity is { } identity and not ICoapPeerIdentity { IsKnown: false } ? identity : Address(request);
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
