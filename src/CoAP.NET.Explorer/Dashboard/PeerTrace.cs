using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Shows the messages of a peer on a page, up to a maximum number. Thread-safe.</summary>
/// <param name="lines">Receives the events.</param>
/// <param name="options">The maximum number, and whether to show payloads.</param>
internal sealed class PeerTrace(PageEventWriter lines, CoapDashboardOptions options)
{
    // A user reads no more; larger messages are truncated.
    private const int MaxShown = 4096;

    private readonly Lock _gate = new();
    private int _messages;
    private bool _isOver;

    public void See(TracedPacket packet, ReadOnlyMemory<byte> bytes, WireFormat format)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return;
            }

            DecodedMessage message = MessageDissector.Dissect(bytes, format);
            if (message.Payload.Length > MaxShown)
            {
                message.Payload = message.Payload[..MaxShown];
            }

            lines.Add(Of(packet, message), isKept: false);
            if (++_messages == options.MaxTraceMessages)
            {
                EndLocked("messages");
            }
        }
    }

    /// <summary>Ends the trace. Repeated calls do nothing.</summary>
    /// <param name="reason">The reason: <c>time</c>, <c>messages</c> or <c>stopping</c>.</param>
    public void End(string reason)
    {
        lock (_gate)
        {
            EndLocked(reason);
        }
    }

    private void EndLocked(string reason)
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        lines.Add(new() { ["kind"] = "end", ["reason"] = reason, ["messages"] = _messages });
        lines.Complete();
    }

    private JsonObject Of(TracedPacket packet, DecodedMessage message)
    {
        JsonObject json = new()
        {
            ["kind"] = "message",
            ["time"] = (packet.Time - DateTimeOffset.UnixEpoch).TotalMilliseconds,
            ["inbound"] = packet.IsInbound,
            ["peer"] = packet.Peer.ToString(),
            ["scheme"] = packet.Scheme,
            ["blanked"] = !options.IncludePayloads && !message.Payload.IsEmpty,
            ["path"] = message.Path,
        };
        DecodedMessageJsonWriter.Add(json, message);
        WireJson.AddBytes(json, message);
        return json;
    }
}
