using System.CommandLine;
using System.Globalization;
using CoAP.NET.Cli.Wire;
using CoAP.NET.Diagnostics;
using CoAP.NET.Explorer.Exploring;

namespace CoAP.NET.Cli.Output;

/// <summary>
/// A progress line while a command waits for a peer: after a second, the bottom line of the terminal shows the pending step, the number of
/// attempts and the remaining time. It disappears afterwards.
/// </summary>
internal sealed class WaitProgressLine
{
    private static readonly TimeSpan s_second = TimeSpan.FromSeconds(1);

    private readonly CliContext _context;
    private readonly string _scheme;
    private readonly string _authority;
    private readonly TimeSpan _handshakeTimeout;
    private readonly CoapTransmissionParameters _parameters;
    private long _requests;
    private long _acknowledgements;

    private WaitProgressLine(CliContext context, CoapUri uri, CoapEndpointOptions options)
    {
        _context = context;
        _scheme = uri.Scheme;
        _authority = uri.Authority;
        _handshakeTimeout = ConnectionOptions.HandshakeTimeoutOf(options);
        _parameters = options.Parameters;
    }

    /// <summary>Creates one for the messages of a client; null without a terminal, and with <c>--verbose</c>, which shows more.</summary>
    /// <param name="context">The streams and the clock.</param>
    /// <param name="parse">The command line.</param>
    /// <param name="uri">The target, or the proxy.</param>
    /// <param name="options">The options of the client, before its creation.</param>
    public static WaitProgressLine? Watch(CliContext context, ParseResult parse, CoapUri uri, CoapEndpointOptions options)
    {
        if (!context.Error.Status.IsPossible || GlobalOptions.VerbosityOf(parse) > 0 || context.GetVariable("TERM") == "dumb")
        {
            return null;
        }

        WaitProgressLine line = new(context, uri, options);
        options.Pipeline.Insert(CoapStageLinks.MessagingToSerializer, () => new StageObserver<CoapOutbound>(line.OnSent));
        options.Pipeline.Insert(CoapStageLinks.SerializerToMessaging, () => new StageObserver<CoapInbound>(line.OnReceived));
        return line;
    }

    /// <summary>Begins to wait for an answer; disposing the result ends the wait and clears the line.</summary>
    /// <param name="client">The client.</param>
    /// <param name="timeout">The timeout of the command; null for that of the protocol.</param>
    /// <param name="isConfirmable">Whether requests are Confirmable.</param>
    public IDisposable Begin(CoapClient client, TimeSpan? timeout, bool isConfirmable = true) =>
        new Wait(this, client, timeout, isConfirmable);

    private CoapOutbound OnSent(CoapOutbound item)
    {
        if (item.Message is { } message && (message.Code.IsRequest || message is { Code.IsEmpty: true, Type: CoapMessageType.Confirmable }))
        {
            Interlocked.Increment(ref _requests);
        }

        return item;
    }

    private CoapInbound OnReceived(CoapInbound item)
    {
        if (item.Message is { Code.IsEmpty: true, Type: CoapMessageType.Acknowledgement })
        {
            Interlocked.Increment(ref _acknowledgements);
        }

        return item;
    }

    private sealed class Wait : IDisposable
    {
        private readonly WaitProgressLine _line;
        private readonly CoapClient _client;
        private readonly TimeSpan? _timeout;
        private readonly bool _isConfirmable;
        private readonly long _started;
        private readonly long _requests;
        private readonly long _acknowledgements;
        private readonly long _retransmissions;
        private readonly ITimer _timer;
        private readonly Lock _gate = new();
        private bool _isOver;

        public Wait(WaitProgressLine line, CoapClient client, TimeSpan? timeout, bool isConfirmable)
        {
            (_line, _client, _timeout, _isConfirmable) = (line, client, timeout, isConfirmable);
            _started = line._context.TimeProvider.GetTimestamp();
            _requests = Volatile.Read(ref line._requests);
            _acknowledgements = Volatile.Read(ref line._acknowledgements);
            _retransmissions = Retransmissions;
            _timer = line._context.TimeProvider.CreateTimer(static wait => ((Wait)wait!).Show(), this, s_second, s_second);
        }

        private long Retransmissions => _client.Endpoint.Counters[CoapCounter.Retransmissions];

        public void Dispose()
        {
            _timer.Dispose();
            lock (_gate)
            {
                _isOver = true;
                _line._context.Error.Status.Aside().Dispose();
            }
        }

        private void Show()
        {
            lock (_gate)
            {
                if (!_isOver)
                {
                    _line._context.Error.Status.Show(Text());
                }
            }
        }

        private string Text()
        {
            // Timers are a little early or late, and each second appears once.
            long waited = (long)Math.Round(_line._context.TimeProvider.GetElapsedTime(_started).TotalSeconds);
            (string what, TimeSpan? bound) = Phase();
            long copies = Retransmissions - _retransmissions;
            string sent = copies > 0 ? string.Create(CultureInfo.InvariantCulture, $", sent {copies + 1} times") : "";
            long most = (_timeout ?? bound) is { } time && time < TimeSpan.MaxValue ? (long)Math.Ceiling(time.TotalSeconds) : 0;
            string atMost = _timeout is null ? "at most " : "";
            string left = most > waited ? string.Create(CultureInfo.InvariantCulture, $", {atMost}{most - waited} s left") : "";
            return string.Create(CultureInfo.InvariantCulture, $"{what}: {waited} s{sent}{left}");
        }

        private (string What, TimeSpan? Bound) Phase()
        {
            string peer = _line._authority;
            if (Volatile.Read(ref _line._requests) == _requests)
            {
                return _line._scheme switch
                {
                    "coap" => ($"looking for {peer}", null),
                    "coaps" => ($"DTLS handshake with {peer}", _line._handshakeTimeout),
                    "coaps+tcp" or "coaps+ws" => ($"connecting to {peer} with TLS", _line._handshakeTimeout),
                    _ => ($"connecting to {peer}", null),
                };
            }

            CoapTransmissionParameters parameters = _line._parameters;
            if (Volatile.Read(ref _line._acknowledgements) != _acknowledgements)
            {
                return ($"{peer} has the request, waiting for its answer", parameters.ResponseTimeout);
            }

            TimeSpan? bound = _line._scheme is not ("coap" or "coaps") ? parameters.ResponseTimeout
                : _isConfirmable ? parameters.MaxTransmitWait
                : parameters.ResponseTimeout ?? parameters.NonLifetime;
            return ($"waiting for {peer}", bound);
        }
    }
}
