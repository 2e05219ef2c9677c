using System.Net;

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
    /// Returns who the peer is (<see cref="CoapPeer.Id"/>), if it has proven that; otherwise its <see cref="Address"/>.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <returns>A <see cref="CoapPeerId"/> or an <see cref="IPAddress"/>.</returns>
    /// <remarks>Two keys are equal if they mean the same peer, over any number of connections.</remarks>
    public static object Identity(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        CoapSource source = request.Peer.Source;
        return (object?)source.Identity ?? source.Address;
    }
}
