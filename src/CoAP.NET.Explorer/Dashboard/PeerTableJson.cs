using System.Globalization;
using System.Security.Principal;
using System.Text.Json.Nodes;
using CoAP.NET.Diagnostics;
using CoAP.NET.Explorer.Decoding;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>The peers of a server as JSON. Text from peers is reduced to one line of limited length.</summary>
internal static class PeerTableJson
{
    public static JsonObject Of(CoapDiagnosticSnapshot snapshot) => new()
    {
        ["time"] = snapshot.Time.ToUnixTimeMilliseconds(),
        ["truncated"] = snapshot.IsTruncated,
        ["peers"] = snapshot.Peers.ToJson(peer => Of(peer, snapshot.Time)),
    };

    private static JsonObject Of(CoapPeerSnapshot peer, DateTimeOffset now)
    {
        JsonObject json = new()
        {
            ["address"] = peer.RemoteEndPoint.ToString(),
            ["local"] = peer.LocalEndPoint.ToString(),
            ["scheme"] = peer.Scheme,
            ["identity"] = peer.Identity is { } identity ? CoapUntrustedText.LineOf(identity.ToString() ?? "") : null,
            ["known"] = peer.HasIdentity,
            ["verified"] = peer.IsVerified,
            ["newcomer"] = peer.IsNewcomer,
            ["lastSeen"] = Seconds(now - peer.LastSeen),
            ["running"] = peer.RunningRequests,
            ["outstanding"] = peer.Outstanding,
            ["queued"] = peer.Queued,
            ["awaited"] = peer.AwaitedResponses,
            ["observers"] = peer.Observers,
            ["observations"] = peer.Observations,
            ["transfers"] = peer.Transfers,
            ["roundTrip"] = Seconds(peer.RoundTripTime),
            ["patience"] = Seconds(peer.RetransmissionTimeout),
        };
        if (peer.LastDrop is { } drop)
        {
            json["drop"] = new JsonObject
            {
                ["reason"] = drop.Reason.ToString(),
                ["ago"] = Seconds(now - drop.Time),
                ["count"] = drop.Count,
            };
        }

        return json;
    }

    private static double? Seconds(TimeSpan? span) => span is { } time ? Math.Round(Math.Max(0, time.TotalSeconds), 3) : null;
}
