using System.Globalization;
using System.Text.Json.Nodes;
using CoAP.NET.Cli.Output;

namespace CoAP.NET.Cli.Decoding;

/// <summary>Decoded messages as JSON objects, one per line. Scripts depend on the names: they stay, and new ones may come.</summary>
internal static class PacketJson
{
    /// <summary>Writes a message.</summary>
    /// <param name="message">The message.</param>
    /// <param name="packet">The captured packet; null for bytes without one.</param>
    /// <param name="output">The destination.</param>
    public static void Write(DecodedMessage message, CapturedPacket? packet, CliOutput output) =>
        output.WriteJson(DecodedMessageJsonWriter.Add(
        packet is null ? [] : new()
        {
            ["time"] = packet.Time.UtcDateTime.ToString("yyyy-MM-dd'T'HH:mm:ss.ffffff'Z'", CultureInfo.InvariantCulture),
            ["from"] = packet.Source.ToString(),
            ["to"] = packet.Destination.ToString(),
        },
        message));
}
