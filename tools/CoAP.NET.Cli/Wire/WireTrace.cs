using System.Globalization;
using CoAP.NET.Cli.Decoding;
using CoAP.NET.Cli.Output;
using CoAP.NET.Execution;
using CoAP.NET.Explorer.Exploring;
using Spectre.Console;

namespace CoAP.NET.Cli.Wire;

/// <summary>
/// Shows every sent and received message on the error stream: blocks in the pipelines of clients and servers next to the serializer, which
/// see the messages of the wire, including acknowledgements and retransmissions.
/// </summary>
internal sealed class WireTrace
{
    // Any number of clients can add some.
    private const int MaxMessages = 4096;

    private readonly CliContext _context;
    private readonly bool _hasBytes;
    private readonly long _started;
    private readonly Lock _gate = new();

    // The copies of each Confirmable message.
    private readonly LruDictionary<(CoapAddress Peer, ushort MessageId, bool IsOutbound), int> _copies = new(MaxMessages);

    // The first time of each unanswered message: requests by their token, Pings by their Message ID.
    private readonly LruDictionary<(CoapAddress Peer, string Key, bool IsOutbound), long> _asked = new(MaxMessages);
    private int _received;
    private int _retransmissions;
    private int _messages;

    private WireTrace(CliContext context, bool hasBytes)
    {
        _context = context;
        _hasBytes = hasBytes;
        _started = context.TimeProvider.GetTimestamp();
    }

    /// <summary>
    /// Adds the blocks to the pipeline of a client or server, and takes the messages of its DTLS handshakes from its log.
    /// </summary>
    /// <param name="context">The streams and the clock.</param>
    /// <param name="verbosity">The number of <c>--verbose</c> options: with 1 headers and options, with more all bytes too.</param>
    /// <param name="endpoint">The options of the client or server.</param>
    /// <returns>The trace; null without the option.</returns>
    public static WireTrace? Insert(CliContext context, int verbosity, CoapEndpointOptions endpoint)
    {
        if (verbosity == 0)
        {
            return null;
        }

        WireTrace trace = new(context, verbosity > 1);
        trace.AddTo(endpoint.Pipeline);
        endpoint.LoggerFactory = new HandshakeLogger(trace.ShowHandshake);
        return trace;
    }

    public void AddTo(CoapPipelineOptions pipeline) => pipeline
        .Insert(CoapStageLinks.SerializerToChannel, () => Watch(isOutbound: true))
        .Insert(CoapStageLinks.ChannelToSerializer, () => Watch(isOutbound: false));

    /// <summary>Writes the summary at the end of a command.</summary>
    public void Summarize()
    {
        lock (_gate)
        {
            Line(string.Create(CultureInfo.InvariantCulture,
                $"{Time()} {_messages} sent, {_received} received, {_retransmissions} retransmissions"), "*", "grey");
        }
    }

    private void ShowHandshake(bool isSent, string peer, string what)
    {
        lock (_gate)
        {
            Line($"{Time()} {(isSent ? "to" : "from")} {peer}  {what}", isSent ? ">" : "<", isSent ? "aqua" : "green");
        }
    }

    private StageObserver<CoapDatagram> Watch(bool isOutbound) => new(datagram =>
    {
        lock (_gate)
        {
            Report(datagram, isOutbound);
        }

        return datagram;
    });

    private void Report(CoapDatagram datagram, bool isOutbound)
    {
        CoapTransport? transport = datagram.Channel?.Transport;
        bool isReliable = transport?.IsReliable == true;
        WireFormat format = !isReliable ? WireFormat.Datagram
            : transport!.Scheme.Contains("ws", StringComparison.Ordinal) ? WireFormat.WebSocket : WireFormat.Stream;
        CoapAddress peer = datagram.Channel?.Remote ?? datagram.Remote;
        CoapMessageSerializer serializer = format switch
        {
            WireFormat.Datagram => CoapDatagramSerializer.Default,
            WireFormat.WebSocket => CoapWebSocketSerializer.Default,
            _ => CoapStreamSerializer.Default,
        };
        bool isRead = serializer.TryDeserialize(datagram.Span, out CoapMessage? message, out CoapFormatError error);
        string remark = Count(message, peer, isOutbound, isReliable) + (message is null ? "" : Clock(message, peer, isOutbound));
        (string mark, string color) = isOutbound ? (">", "aqua") : ("<", "green");
        string what = isRead ? Describe(message!, isReliable) : $"no message: {error}";
        Line(string.Create(CultureInfo.InvariantCulture,
            $"{Time()} {(isOutbound ? "to" : "from")} {peer}  {what}  {datagram.Length} B{remark}"), mark, color);
        if (_hasBytes)
        {
            FieldExplainer.Explain(datagram.Span, format, _context.Error.Writer);
        }
        else if (isRead)
        {
            foreach (CoapOption option in message!.Options)
            {
                Line($"  {option}", mark, color);
            }
        }
    }

    private string Count(CoapMessage? message, CoapAddress peer, bool isOutbound, bool isReliable)
    {
        _ = isOutbound ? _messages++ : _received++;
        if (isReliable || message?.Type != CoapMessageType.Confirmable)
        {
            return "";
        }

        (CoapAddress, ushort, bool) key = (peer, message.MessageId, isOutbound);
        int copies = _copies.TryGetValue(key, out int before) ? before : 0;
        _copies.Set(key, copies + 1);
        if (copies == 0)
        {
            return "";
        }

        _retransmissions += isOutbound ? 1 : 0;
        return string.Create(CultureInfo.InvariantCulture, $"  retransmission {copies}");
    }

    // A client measures its own requests, a server those of its clients.
    private string Clock(CoapMessage message, CoapAddress peer, bool isOutbound)
    {
        string key = message.Code.IsEmpty ? string.Create(CultureInfo.InvariantCulture, $"#{message.MessageId}") : message.Token.ToString();
        if (message.Code.IsRequest || (message.Code.IsEmpty && message.Type == CoapMessageType.Confirmable))
        {
            if (!_asked.TryGetValue((peer, key, isOutbound), out _))
            {
                _asked.Set((peer, key, isOutbound), _context.TimeProvider.GetTimestamp());
            }

            return "";
        }

        return _asked.Remove((peer, key, !isOutbound), out long asked)
            ? string.Create(CultureInfo.InvariantCulture, $"  after {_context.TimeProvider.GetElapsedTime(asked).TotalMilliseconds:0.0} ms")
            : "";
    }

    private static string Describe(CoapMessage message, bool isReliable)
    {
        string head = isReliable ? "" : string.Create(CultureInfo.InvariantCulture, $"{ShortNameOf(message.Type)} {message.MessageId}  ");
        string token = message.Token.Length > 0 ? $"  token {message.Token}" : "";
        return $"{head}{message.Code}{token}";
    }

    private static string ShortNameOf(CoapMessageType type) => type switch
    {
        CoapMessageType.Confirmable => "CON",
        CoapMessageType.NonConfirmable => "NON",
        CoapMessageType.Acknowledgement => "ACK",
        _ => "RST",
    };

    private string Time() => _context.TimeProvider.GetElapsedTime(_started).TotalSeconds.ToString("0.000", CultureInfo.InvariantCulture);

    private void Line(string text, string mark, string color) => _context.Error.MarkupLine($"[{color}]{mark}[/] {Markup.Escape(text)}");
}
