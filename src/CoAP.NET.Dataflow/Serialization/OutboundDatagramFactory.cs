using CoAP.NET.Channels;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Serialization;

/// <summary>Creates the datagrams that the Serializer stage hands down.</summary>
internal sealed class OutboundDatagramFactory(CoapEnvironment environment, CoapDatagramPool pool)
{
    /// <summary>A datagram with room for a message.</summary>
    /// <param name="size">How many bytes.</param>
    public CoapDatagram Rent(int size) => size <= pool.BufferSize ? pool.Rent() : new CoapDatagram(size);

    /// <summary>A datagram with the bytes of a message.</summary>
    public CoapDatagram Copy(ReadOnlySpan<byte> encoded)
    {
        CoapDatagram datagram = Rent(encoded.Length);
        encoded.CopyTo(datagram.Buffer);
        datagram.Length = encoded.Length;
        return datagram;
    }

    /// <summary>Says whose datagram it is, and what else its transport must know.</summary>
    public static void Address(CoapDatagram datagram, in CoapOutbound outbound)
    {
        datagram.Channel = outbound.Channel;
        datagram.IsLast = outbound.IsLast;
        datagram.HopLimit = outbound.Transmission is { } transmission ? transmission.HopLimit : (byte)0;
    }

    /// <summary>Gives the bytes to Messaging where it keeps them.</summary>
    public static void ReportBytes(in CoapOutbound outbound, CoapDatagram datagram)
    {
        if (outbound.KeepsBytes)
        {
            outbound.Channel.Shard.Effects?.KeepBytes(in outbound, datagram.Span);
        }
    }

    /// <summary>Counts and logs that a message could not be encoded.</summary>
    /// <returns>The replacement of a response, because the client would otherwise wait for an answer that never comes; null for other
    /// messages.</returns>
    public CoapMessage? Fail(in CoapOutbound outbound, Exception exception)
    {
        CoapMessage message = outbound.Message!;
        environment.Counters.Add(CoapCounter.EncodeErrors);
        outbound.Channel.NoteDrop(CoapCounter.EncodeErrors);
        using IDisposable? scope = MessageLogScope.BeginFor(environment.Logger, LogLevel.Error, outbound.Channel, message);
        SerializerLog.EncodeFailed(environment.Logger, exception, message.Code, outbound.Channel);
        return message.Code.Class is 2 or 4 or 5
            ? new CoapMessage(CoapCode.InternalServerError) { Type = message.Type, MessageId = message.MessageId, Token = message.Token }
            : null;
    }
}
