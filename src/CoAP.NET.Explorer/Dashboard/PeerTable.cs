using System.Globalization;
using System.Security.Principal;
using System.Text.Json;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Writes the peers of a server as JSON. Text from peers is reduced to one line of limited length.</summary>
internal static class PeerTable
{
    /// <summary>Writes the properties of the table into the current object.</summary>
    public static void Write(Utf8JsonWriter json, CoapSnapshot snapshot)
    {
        json.WriteNumber("time", snapshot.Time.ToUnixTimeMilliseconds());
        json.WriteBoolean("truncated", snapshot.IsTruncated);
        json.WriteStartArray("peers");
        foreach (CoapPeerSnapshot peer in snapshot.Peers)
        {
            json.WriteStartObject();
            Write(json, peer, snapshot.Time);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, CoapPeerSnapshot peer, DateTimeOffset now)
    {
        json.WriteString("address", peer.Address.ToString());
        json.WriteString("local", peer.LocalAddress.ToString());
        json.WriteString("scheme", peer.Scheme);
        json.WriteString("identity", peer.Identity is { } identity ? CoapForeignText.LineOf(TextOf(identity)) : null);
        json.WriteBoolean("known", peer.HasIdentity);
        json.WriteBoolean("verified", peer.IsVerified);
        json.WriteBoolean("newcomer", peer.IsNewcomer);
        WriteSeconds(json, "lastSeen", peer.LastSeen is { } seen ? now - seen : null);
        json.WriteNumber("running", peer.RunningRequests);
        json.WriteNumber("outstanding", peer.Outstanding);
        json.WriteNumber("queued", peer.Queued);
        json.WriteNumber("awaited", peer.AwaitedResponses);
        json.WriteNumber("observers", peer.Observers);
        json.WriteNumber("observations", peer.Observations);
        json.WriteNumber("transfers", peer.Transfers);
        WriteSeconds(json, "roundTrip", peer.RoundTripTime);
        WriteSeconds(json, "patience", peer.RetransmissionTimeout);
        if (peer.LastDrop is { } drop)
        {
            json.WriteStartObject("drop");
            json.WriteString("reason", drop.Reason.ToString());
            WriteSeconds(json, "ago", now - drop.Time);
            json.WriteNumber("count", drop.Count);
            json.WriteEndObject();
        }
    }

    private static string TextOf(object identity) => identity switch
    {
        IPrincipal principal => principal.Identity?.Name ?? "without a name",
        IIdentity one => one.Name ?? "without a name",
        _ => Convert.ToString(identity, CultureInfo.InvariantCulture) ?? "",
    };

    private static void WriteSeconds(Utf8JsonWriter json, string name, TimeSpan? span)
    {
        if (span is { } time)
        {
            json.WriteNumber(name, Math.Round(Math.Max(0, time.TotalSeconds), 3));
        }
        else
        {
            json.WriteNull(name);
        }
    }
}
