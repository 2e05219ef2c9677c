using CoAP.NET.Channels;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Formats;

/// <summary>
/// The outbound Serializer stage: from a message, or from the finished bytes of one that is sent again, to a datagram of its channel; the
/// Channel stage addresses it. A message that the format has no form for is counted as <c>EncodeErrors</c> and logged as
/// an error; a response goes out as 5.00, the rest is dropped.
/// </summary>
internal sealed class SerializerOutboundBlock : InlineBlock<CoapOutbound, CoapDatagram>
{
    private readonly MessageFormats _formats;
    private readonly CoapDatagramPool _pool;

    internal SerializerOutboundBlock(CoapEnvironment environment, MessageFormats formats, CoapDatagramPool pool)
        : base(environment.Counters, environment.Logger)
    {
        _formats = formats;
        _pool = pool;
    }

    internal override void Process(CoapOutbound outbound)
    {
        if (Write(in outbound) is { } datagram)
        {
            Offer(datagram);
        }
    }

    /// <summary>Writes a message into a datagram of its channel.</summary>
    /// <returns>The datagram; null if the format cannot express the message.</returns>
    internal CoapDatagram? Write(in CoapOutbound outbound)
    {
        CoapDatagram? datagram = outbound.Encoded.IsEmpty ? Encode(in outbound) : Copy(outbound.Encoded.Span);
        if (datagram is not null)
        {
            Address(datagram, in outbound);
        }

        return datagram;
    }

    /// <summary>A datagram with room for a message.</summary>
    /// <param name="size">How many bytes.</param>
    private CoapDatagram Rent(int size) => size <= _pool.BufferSize ? _pool.Rent() : new CoapDatagram(size);

    /// <summary>A datagram with the bytes of a message.</summary>
    internal CoapDatagram Copy(ReadOnlySpan<byte> encoded)
    {
        CoapDatagram datagram = Rent(encoded.Length);
        encoded.CopyTo(datagram.Buffer);
        datagram.Length = encoded.Length;
        return datagram;
    }

    /// <summary>Says whose datagram it is, and what else its transport must know.</summary>
    internal static void Address(CoapDatagram datagram, in CoapOutbound outbound)
    {
        datagram.Channel = outbound.Channel;
        datagram.IsLast = outbound.IsLast;
        datagram.HopLimit = outbound.Transmission is { } transmission ? transmission.HopLimit : (byte)0;
    }

    /// <summary>Gives the bytes to Messaging where it keeps them.</summary>
    internal static void ReportBytes(in CoapOutbound outbound, CoapDatagram datagram)
    {
        if (outbound.KeepsBytes)
        {
            outbound.Channel.Shard.Effects?.KeepBytes(in outbound, datagram.Span);
        }
    }

    /// <summary>Counts and logs that a message could not be encoded.</summary>
    /// <returns>The replacement of a response, because the client would otherwise wait for an answer that never comes; null for other
    /// messages.</returns>
    internal CoapMessage? Fail(in CoapOutbound outbound, Exception exception)
    {
        CoapMessage message = outbound.Message!;
        Counters.Add(CoapCounter.EncodeErrors);
        outbound.Channel.NoteDrop(CoapCounter.EncodeErrors);
        using IDisposable? scope = MessageLogScope.BeginFor(Logger, LogLevel.Error, outbound.Channel, message);
        SerializerLog.EncodeFailed(Logger, exception, message.Code, outbound.Channel);
        return message.Code.Class is 2 or 4 or 5
            ? new CoapMessage(CoapCode.InternalServerError) { Type = message.Type, MessageId = message.MessageId, Token = message.Token }
            : null;
    }

    private CoapDatagram? Encode(in CoapOutbound outbound)
    {
        CoapMessage message = outbound.Message
            ?? throw new InvalidOperationException($"Messaging asked for {outbound.Kind} without a message.");
        ICoapMessageSerializer serializer = _formats.Of(outbound.Channel);
        CoapDatagram datagram = _pool.Rent();
        try
        {
            if (!serializer.TrySerialize(datagram.Buffer, message, out int written))
            {
                datagram.Dispose();
                datagram = Rent(checked((int)serializer.GetSize(message)));
                if (!serializer.TrySerialize(datagram.Buffer, message, out written))
                {
                    throw new InvalidOperationException($"{serializer.GetType().Name} needs more bytes than it said.");
                }
            }

            datagram.Length = written;
        }
#pragma warning disable CA1031 // whatever a serializer has against a message, the pipeline goes on without it
        catch (Exception exception)
#pragma warning restore CA1031
        {
            datagram.Dispose();
            return Fail(in outbound, exception) is { } error ? EncodeError(in outbound, error, serializer) : null;
        }

        ReportBytes(in outbound, datagram);
        return datagram;
    }

    private CoapDatagram EncodeError(in CoapOutbound outbound, CoapMessage error, ICoapMessageSerializer serializer)
    {
        CoapDatagram datagram = Rent(checked((int)serializer.GetSize(error)));
        datagram.Length = serializer.TrySerialize(datagram.Buffer, error, out int written) ? written : 0;
        ReportBytes(in outbound, datagram);
        return datagram;
    }
}
