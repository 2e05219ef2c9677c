using System.Text.Json.Nodes;
using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Reports the messages of a client as they are on the wire, explained byte by byte, with blocks in its pipeline next to the channel. A
/// budget limits the reports of a long transfer or a busy observation.
/// </summary>
internal sealed class WireMonitor(TimeProvider time)
{
    private const int Burst = 200;
    private const int PerSecond = 20;

    private readonly Lock _gate = new();
    private readonly Dictionary<(CoapAddress Peer, ushort MessageId), int> _sent = [];
    private PageEventWriter? _sink;
    private long _started;
    private double _budget;
    private long _refilled;
    private int _skipped;

    /// <summary>The page that gets the messages; null for none. Setting it ends one exchange and begins another.</summary>
    public PageEventWriter? Sink
    {
        set
        {
            lock (_gate)
            {
                ReportSkipped();
                _sink = value;
                _sent.Clear();
                _started = _refilled = time.GetTimestamp();
                _budget = Burst;
                _skipped = 0;
                Retransmissions = 0;
            }
        }
    }

    public int Retransmissions { get; private set; }

    public void AddTo(CoapPipelineOptions pipeline) => pipeline
        .Insert(CoapStageLinks.SerializerToChannel, () => Tap(isOutbound: true))
        .Insert(CoapStageLinks.ChannelToSerializer, () => Tap(isOutbound: false));

    private static WireFormat FormatOf(CoapTransport? transport) => transport is not { IsReliable: true } ? WireFormat.Datagram
        : transport.Scheme.Contains("ws", StringComparison.Ordinal) ? WireFormat.WebSocket : WireFormat.Stream;

    private StageObserver<CoapDatagram> Tap(bool isOutbound) => new(datagram =>
    {
        lock (_gate)
        {
            if (_sink is { } sink)
            {
                Report(sink, datagram, isOutbound);
            }
        }

        return datagram;
    });

    private void Report(PageEventWriter sink, CoapDatagram datagram, bool isOutbound)
    {
        WireFormat format = FormatOf(datagram.Channel?.Transport);
        CoapAddress peer = datagram.Channel?.Remote ?? datagram.Remote;
        int copies = isOutbound && format == WireFormat.Datagram ? Count(datagram.Span, peer) : 0;
        if (!HasBudget())
        {
            _skipped++;
            return;
        }

        DecodedMessage message = MessageDissector.Dissect(datagram.Span.ToArray(), format);
        double at = time.GetElapsedTime(_started).TotalMilliseconds;
        JsonObject json = new()
        {
            ["kind"] = "wire",
            ["time"] = Math.Round(at, 3),
            ["outbound"] = isOutbound,
            ["peer"] = peer.ToString(),
            ["retransmission"] = copies,
        };
        json.AddKnown("skipped", _skipped > 0 ? _skipped : null);
        _skipped = 0;
        WireJson.Add(json, message);
        sink.Add(json, isKept: false);
    }

    // Reports the skipped messages at the end of an exchange, because no later message does.
    private void ReportSkipped()
    {
        if (_skipped > 0)
        {
            _sink?.Add(new() { ["kind"] = "wireSkipped", ["count"] = _skipped });
        }
    }

    private bool HasBudget()
    {
        long now = time.GetTimestamp();
        _budget = Math.Min(Burst, _budget + (time.GetElapsedTime(_refilled, now).TotalSeconds * PerSecond));
        _refilled = now;
        if (_budget < 1)
        {
            return false;
        }

        _budget--;
        return true;
    }

    // Confirmable messages are retransmitted with the same Message ID (RFC 7252 section 4.2).
    private int Count(ReadOnlySpan<byte> message, CoapAddress peer)
    {
        const int Confirmable = 0x40;
        const int MostRemembered = 10_000;
        if (message.Length < 4 || (message[0] & 0xf0) != Confirmable || _sent.Count > MostRemembered)
        {
            return 0;
        }

        ushort id = (ushort)((message[2] << 8) | message[3]);
        int copies = _sent.GetValueOrDefault((peer, id));
        _sent[(peer, id)] = copies + 1;
        Retransmissions += copies > 0 ? 1 : 0;
        return copies;
    }
}
