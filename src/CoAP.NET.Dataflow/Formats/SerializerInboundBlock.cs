using CoAP.NET.Channels;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Formats;

/// <summary>
/// The inbound Serializer stage: from the bytes of one message to the message, or to the rule that they broke. The message gets bytes of
/// its own, and the datagram goes back before the message goes on, so what user code sees is never recycled. No user code runs here: typed
/// options are made when asked for. Bytes without a readable header of version 1 end here, counted as <c>Ignored</c>
/// (RFC 7252 section 3); every other format error goes up, because what to do about it depends on the type (section 4.2).
/// </summary>
internal sealed class SerializerInboundBlock : InlineBlock<CoapDatagram, CoapInbound>
{
    // The size of an error response without token: header, length of the token, and a description of the error.
    private const int RoomBesideToken = 128;

    private readonly MessageFormats _formats;

    // A replaced stage uses this one, so that both tell duplicates by the same hash.
    private readonly DeduplicationHash _hash;

    internal SerializerInboundBlock(CoapEnvironment environment, MessageFormats formats)
        : base(environment.Counters, environment.Logger)
    {
        _formats = formats;
        _hash = new DeduplicationHash(environment.Random);
    }

    internal override void Process(CoapDatagram datagram)
    {
        if (TryRead(datagram, out CoapInbound inbound))
        {
            Offer(inbound);
        }
    }

    /// <summary>Reads the message of a datagram, and disposes the datagram.</summary>
    /// <param name="datagram">The datagram, with its channel.</param>
    /// <param name="inbound">The message, or the rule that the bytes broke.</param>
    /// <returns>False for bytes that are ignored.</returns>
    internal bool TryRead(CoapDatagram datagram, out CoapInbound inbound)
    {
        try
        {
            CoapChannel channel = datagram.Channel
                ?? throw new InvalidOperationException("A datagram came without a channel; the Channel stage sets it.");
            return channel.Transport.IsReliable
                ? TryReadFrame(datagram, channel, out inbound)
                : TryReadDatagram(datagram, channel, out inbound);
        }
        finally
        {
            datagram.Dispose();
        }
    }

    /// <summary>Makes the item of a message. The datagram stays its caller's; so it does below.</summary>
    internal CoapInbound ItemOf(CoapDatagram datagram, CoapChannel channel, CoapMessage message) => channel.Transport.IsReliable
        ? new CoapInbound
        {
            Channel = channel,
            Kind = CoapInboundKind.Message,
            Message = message,
            ReceivedAt = datagram.ReceivedAt,
            IsLate = datagram.IsLate,
        }
        : new CoapInbound
        {
            Channel = channel,
            Kind = CoapInboundKind.Message,
            Message = message,
            Type = message.Type,
            MessageId = message.MessageId,
            IsMulticast = datagram.Local.IsMulticast,
            Hash = _hash.Of(datagram.Span),
            Length = datagram.Length,
            ReceivedAt = datagram.ReceivedAt,
            IsLate = datagram.IsLate,
        };

    /// <summary>Counts and logs a format error. A reliable transport has neither types nor Message IDs.</summary>
    /// <param name="datagram">The bytes.</param>
    /// <param name="channel">The channel of the sender.</param>
    /// <param name="error">The violated rule.</param>
    /// <param name="type">See <see cref="CoapInbound.Type"/>.</param>
    /// <param name="messageId">See <see cref="CoapInbound.MessageId"/>.</param>
    /// <param name="head">See <see cref="CoapInbound.Message"/>.</param>
    internal CoapInbound ErrorOf(CoapDatagram datagram, CoapChannel channel, CoapFormatError error, CoapMessageType type, ushort messageId,
        CoapMessage? head)
    {
        Counters.Add(CoapCounter.FormatErrors);
        channel.NoteDrop(CoapCounter.FormatErrors);
        using (Logger.IsEnabled(LogLevel.Debug) ? MessageLogScope.Begin(Logger, channel, default, messageId) : null)
        {
            SerializerLog.FormatError(Logger, channel, error.Rule, error.Offset);
        }

        return channel.Transport.IsReliable
            ? new CoapInbound { Channel = channel, Kind = CoapInboundKind.FormatError, Error = error, ReceivedAt = datagram.ReceivedAt }
            : new CoapInbound
            {
                Channel = channel,
                Kind = CoapInboundKind.FormatError,
                Message = head,
                Error = error,
                Type = type,
                MessageId = messageId,
                IsMulticast = datagram.Local.IsMulticast,
                Hash = _hash.Of(datagram.Span),
                Length = datagram.Length,
                ReceivedAt = datagram.ReceivedAt,
            };
    }

    // The datagram is back already, and may be another party's by now.
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
            error = new CoapFormatError(CoapMessageFormatViolation.MessageTooLarge, bytes.Length);
        }
        else if (_formats.Datagrams.TryDeserialize(bytes, out message, out error))
        {
            inbound = ItemOf(datagram, channel, message);
            return true;
        }

        if (!CoapDatagramSerializer.TryReadHeader(bytes, out CoapMessageType type, out ushort messageId))
        {
            Counters.Add(CoapCounter.Ignored);
            channel.NoteDrop(CoapCounter.Ignored);
            inbound = default;
            return false;
        }

        if (error.Rule is CoapMessageFormatViolation.TokenTooLong or CoapMessageFormatViolation.MessageTooLarge)
        {
            CoapDatagramSerializer.TryReadToken(bytes, out message);
            if (message?.Token.Length + RoomBesideToken > channel.MaxMessageSize)
            {
                // An answer bears the token (RFC 8974 section 2.2.3); of one that leaves no room for it there is none, and the message is
                // rejected as one without a token.
                message = null;
            }
        }

        inbound = ErrorOf(datagram, channel, error, type, messageId, message);
        return true;
    }

    // A reliable transport has neither types nor Message IDs, and every format error ends the connection (RFC 8323 section 5.6): all of
    // them go up.
    private bool TryReadFrame(CoapDatagram datagram, CoapChannel channel, out CoapInbound inbound)
    {
        inbound = _formats.Of(channel).TryDeserialize(datagram.Span, out CoapMessage? message, out CoapFormatError error)
            ? ItemOf(datagram, channel, message)
            : ErrorOf(datagram, channel, error, default, 0, null);
        return true;
    }
}
