using CoAP.NET.Channels;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Serialization;

/// <summary>Makes what the Serializer stage hands up of a datagram, which stays its caller's.</summary>
/// <param name="environment">The key of the hash, the counters and the log.</param>
internal sealed class InboundItemFactory(CoapEnvironment environment)
{
    private readonly DeduplicationHash _hash = new(environment.Random);

    public CoapInbound Message(CoapDatagram datagram, CoapChannel channel, CoapMessage message) => channel.Transport.IsReliable
        ? new CoapInbound
        {
            Channel = channel, Kind = CoapInboundKind.Message, Message = message, ReceivedAt =
            datagram.ReceivedAt, IsLate = datagram.IsLate
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
    public CoapInbound Error(CoapDatagram datagram, CoapChannel channel, CoapFormatError error, CoapMessageType type, ushort messageId,
        CoapMessage? head)
    {
        environment.Counters.Add(CoapCounter.FormatErrors);
        channel.NoteDrop(CoapCounter.FormatErrors);
        ILogger logger = environment.Logger;
        using (logger.IsEnabled(LogLevel.Debug) ? MessageLogScope.Begin(logger, channel, default, messageId) : null)
        {
            SerializerLog.FormatError(logger, channel, error.Rule, error.Offset);
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
}
