using System.Globalization;
using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>Maps a diagnostic resource that returns a snapshot of the endpoint.</summary>
public static class CoapDebugExtensions
{
    /// <summary>Maps a resource that returns <see cref="CoapEndpoint.GetSnapshot"/> as JSON or CBOR.</summary>
    /// <remarks>
    /// <c>?peer=192.0.2.7</c> selects the peers of one address, <c>?max=10</c> limits their number. It is not listed in
    /// <c>/.well-known/core</c>. Because it reveals the clients of this server, peers that are neither at a loopback address nor secured
    /// get 4.03 unless the options allow them.
    /// </remarks>
    /// <param name="server">The server.</param>
    /// <param name="path">The path. Default <c>/.well-known/coap-debug</c>.</param>
    /// <param name="options">The access rules; default: all defaults.</param>
    /// <returns>The route, for further configuration.</returns>
    /// <exception cref="ArgumentException">The path is invalid.</exception>
    /// <exception cref="InvalidOperationException">The path already has a handler.</exception>
    public static CoapRouteHandlerBuilder MapDebug(this CoapServer server, string path = "/.well-known/coap-debug",
        CoapDebugOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(server);
        options ??= new CoapDebugOptions();
        return server.MapGet(path, request => Answer(server.Endpoint, request, options))
            .Produces(CoapContentFormat.Json, CoapContentFormat.Cbor).Hidden().LogBlocking(false).AllowInsecureTransport();
    }

    private static CoapResult Answer(CoapEndpoint endpoint, CoapRequest request, CoapDebugOptions options)
    {
        if (!(options.Allow is { } allow ? allow(request.Peer) : IsNearOrSecured(request.Channel!)))
        {
            return CoapResults.Status(CoapCode.Forbidden, "Only peers on the same machine and secured peers may read this.");
        }

        IPAddress? address = null;
        if (request.TryGetQuery("peer", out string? peer) && !IPAddress.TryParse(peer, out address))
        {
            return CoapResults.BadRequest("'peer' must be an IP address, such as ?peer=192.0.2.7.");
        }

        int max = options.MaxPeers;
        if (request.TryGetQuery("max", out string? text)
            && (!int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out max) || max > options.MaxPeers))
        {
            return CoapResults.BadRequest($"'max' must be a number up to {options.MaxPeers}.");
        }

        CoapSnapshot snapshot = endpoint.GetSnapshot(address, max);
        return request.SelectFormat(CoapContentFormat.Json, CoapContentFormat.Cbor) == CoapContentFormat.Cbor
            ? CoapResults.Bytes(SnapshotDocument.ToCbor(snapshot), CoapContentFormat.Cbor)
            : CoapResults.Bytes(SnapshotDocument.ToJson(snapshot), CoapContentFormat.Json);
    }

    private static bool IsNearOrSecured(CoapChannel channel) =>
        channel.Transport.IsSecure || PeerIdentity.IsKnown(channel.Identity) || IPAddress.IsLoopback(channel.Remote.ToIPAddress());
}
