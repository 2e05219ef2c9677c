using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Serialization;

/// <summary>
/// The inbound Serializer stage: from the bytes of one message to the message, or to the rule that they broke. The message gets bytes of its own, and the
/// datagram goes back before the message goes on, so what user code sees is never recycled. No user code runs here: typed options are made when asked for.
/// Bytes without a readable header of version 1 end here, counted as <see cref="CoapCounter.Ignored"/> (RFC 7252 section 3); every other format error goes
/// up, because what to do about it depends on the type (section 4.2).
/// </summary>
internal sealed class SerializerInbound : InlineBlock<CoapDatagram, CoapInbound>
{
    // Of an error response: header, length of the token, and what went wrong in words.
    private const int RoomBesideToken = 128;

    private readonly ICoapMessageSerializer _datagrams;
    private readonly ICoapMessageSerializer _streams;
    private readonly ICoapMessageSerializer _webSockets;
    private readonly DatagramHash _hash;

    internal SerializerInbound(CoapEnvironment environment, ICoapMessageSerializer datagrams, ICoapMessageSerializer? streams = null, ICoapMessageSerializer? webSockets = null)
        : base(environment.Counters, environment.Logger)
    {
        _datagrams = datagrams;
        _streams = streams ?? CoapStreamSerializer.Default;
        _webSockets = webSockets ?? CoapWebSocketSerializer.Default;
        _hash = new DatagramHash(environment.Random);
    }

    internal override void Process(CoapDatagram datagram)
    {
        bool isRead;
        CoapInbound inbound;
        try
        {
            CoapChannel channel = datagram.Channel ?? throw new InvalidOperationException("A datagram came without a channel; the Channel stage sets it.");
            isRead = channel.Transport.IsReliable ? TryReadFrame(datagram, channel, out inbound) : TryReadDatagram(datagram, channel, out inbound);
        }
        finally
        {
            datagram.Dispose();
        }

        if (isRead)
        {
            Offer(inbound);
        }
    }

    // The datagram is back already, and may be somebody else's by now.
    private protected override void OnFailed(CoapDatagram item)
    {
    }

    private bool TryReadDatagram(CoapDatagram datagram, CoapChannel channel, out CoapInbound inbound)
    {
        ReadOnlySpan<byte> bytes = datagram.Span;
        CoapMessage? message = null;
        CoapFormatError error;
        if (datagram.IsTruncated)
        {
            error = new CoapFormatError(CoapFormatRule.MessageTooLarge, bytes.Length);
        }
        else if (_datagrams.TryDeserialize(bytes, out message, out error))
        {
            inbound = new CoapInbound
            {
                Channel = channel,
                Kind = CoapInboundKind.Message,
                Message = message,
                Type = message.Type,
                MessageId = message.MessageId,
                IsMulticast = datagram.Local.IsMulticast,
                Hash = _hash.Of(bytes),
                Length = bytes.Length,
            };
            return true;
        }

        if (!CoapDatagramSerializer.TryReadHeader(bytes, out CoapMessageType type, out ushort messageId))
        {
            Counters.Add(CoapCounter.Ignored);
            channel.NoteDrop(CoapCounter.Ignored);
            inbound = default;
            return false;
        }

        CountFormatError(channel, error, messageId);
        if (error.Rule is CoapFormatRule.TokenTooLong or CoapFormatRule.MessageTooLarge)
        {
            CoapDatagramSerializer.TryReadToken(bytes, out message);
            if (message?.Token.Length + RoomBesideToken > channel.MaxMessageSize)
            {
                // An answer bears the token (RFC 8974 section 2.2.3); of one that leaves no room for it there is none, and the message is rejected as one without a token.
                message = null;
            }
        }

        inbound = new CoapInbound
        {
            Channel = channel,
            Kind = CoapInboundKind.FormatError,
            Message = message,
            Error = error,
            Type = type,
            MessageId = messageId,
            IsMulticast = datagram.Local.IsMulticast,
            Hash = _hash.Of(bytes),
            Length = bytes.Length,
        };
        return true;
    }

    // A reliable transport has neither types nor Message IDs, and every format error ends the connection (RFC 8323 section 5.6): all of them go up.
    private bool TryReadFrame(CoapDatagram datagram, CoapChannel channel, out CoapInbound inbound)
    {
        ICoapMessageSerializer serializer = channel.HasMessages ? _webSockets : _streams;
        if (serializer.TryDeserialize(datagram.Span, out CoapMessage? message, out CoapFormatError error))
        {
            inbound = new CoapInbound { Channel = channel, Kind = CoapInboundKind.Message, Message = message };
            return true;
        }

        CountFormatError(channel, error, 0);
        inbound = new CoapInbound { Channel = channel, Kind = CoapInboundKind.FormatError, Error = error };
        return true;
    }

    private void CountFormatError(CoapChannel channel, CoapFormatError error, ushort messageId)
    {
        Counters.Add(CoapCounter.FormatErrors);
        channel.NoteDrop(CoapCounter.FormatErrors);
        using IDisposable? scope = Logger.IsEnabled(LogLevel.Debug) ? MessageScope.Begin(Logger, channel, default, messageId) : null;
        Log.FormatError(Logger, channel, error.Rule, error.Offset);
    }
}
