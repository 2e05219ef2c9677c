using System.Globalization;
using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>A resource that shows what an endpoint knows, for people who look for a reason.</summary>
public static class CoapDebugExtensions
{
    /// <summary>
    /// Maps a resource that answers with <see cref="CoapEndpoint.GetSnapshot"/> as JSON or CBOR. <c>?peer=192.0.2.7</c> shows the peers of
    /// one address, <c>?max=10</c> so many. It is not listed in <c>/.well-known/core</c>, and peers that are neither at a loopback address
    /// nor secured get 4.03 unless the options say otherwise: it tells who talks to this server.
    /// </summary>
    /// <param name="server">The server.</param>
    /// <param name="path">The path. Default <c>/.well-known/coap-debug</c>.</param>
    /// <param name="options">Who may read it; default: all defaults.</param>
    /// <returns>The route, to say more about it.</returns>
    /// <exception cref="ArgumentException">The path is wrong.</exception>
    /// <exception cref="InvalidOperationException">The path has a handler already.</exception>
    public static CoapRouteHandlerBuilder MapDebug(this CoapServer server, string path = "/.well-known/coap-debug",
        CoapDebugOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(server);
        options ??= new CoapDebugOptions();
        return server.MapGet(path, request => Answer(server.Endpoint, request, options))
            .Produces(CoapContentFormat.Json, CoapContentFormat.Cbor).Hidden().AllowInsecureTransport();
    }

    private static CoapResult Answer(CoapEndpoint endpoint, CoapRequest request, CoapDebugOptions options)
    {
        if (!(options.Allow is { } allow ? allow(request.Peer) : IsNearOrSecured(request.Channel!)))
        {
            return CoapResults.Status(CoapCode.Forbidden, "This is for peers on the same machine and for secured ones.");
        }

        IPAddress? address = null;
        if (request.TryGetQuery("peer", out string? peer) && !IPAddress.TryParse(peer, out address))
        {
            return CoapResults.BadRequest("'peer' is an IP address, such as ?peer=192.0.2.7.");
        }

        int max = options.MaxPeers;
        if (request.TryGetQuery("max", out string? text)
            && (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out max) || max > options.MaxPeers))
        {
            return CoapResults.BadRequest($"'max' is a number up to {options.MaxPeers}.");
        }

        CoapSnapshot snapshot = endpoint.GetSnapshot(address, max);
        return request.SelectFormat(CoapContentFormat.Json, CoapContentFormat.Cbor) == CoapContentFormat.Cbor
            ? CoapResults.Bytes(SnapshotDocument.ToCbor(snapshot), CoapContentFormat.Cbor)
            : CoapResults.Bytes(SnapshotDocument.ToJson(snapshot), CoapContentFormat.Json);
    }

    private static bool IsNearOrSecured(CoapChannel channel) =>
        channel.Transport.IsSecure || PeerIdentity.IsKnown(channel.Identity) || IPAddress.IsLoopback(channel.Remote.ToIPAddress());
}
