using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Serialization;

/// <summary>
/// The outbound Serializer stage: from a message, or from the finished bytes of one that is sent again, to a datagram of its channel; the Channel stage addresses it.
/// A message that the format has no form for is counted as <see cref="CoapCounter.EncodeErrors"/> and logged as an error; a response goes out as 5.00, the rest is dropped.
/// </summary>
internal sealed class SerializerOutbound : InlineBlock<CoapOutbound, CoapDatagram>
{
    private readonly ICoapMessageSerializer _datagrams;
    private readonly ICoapMessageSerializer _streams;
    private readonly ICoapMessageSerializer _webSockets;
    private readonly CoapDatagramPool _pool;

    internal SerializerOutbound(CoapEnvironment environment, ICoapMessageSerializer datagrams, CoapDatagramPool pool, ICoapMessageSerializer? streams = null, ICoapMessageSerializer? webSockets = null)
        : base(environment.Counters, environment.Logger)
    {
        _datagrams = datagrams;
        _streams = streams ?? CoapStreamSerializer.Default;
        _webSockets = webSockets ?? CoapWebSocketSerializer.Default;
        _pool = pool;
    }

    internal override void Process(CoapOutbound outbound)
    {
        CoapDatagram? datagram = outbound.Encoded.IsEmpty ? Encode(outbound) : Copy(outbound.Encoded.Span);
        if (datagram is null)
        {
            return;
        }

        datagram.Channel = outbound.Channel;
        datagram.IsLast = outbound.IsLast;
        datagram.HopLimit = outbound.Transmission is { } transmission ? transmission.HopLimit : (byte)0;
        Offer(datagram);
    }

    private CoapDatagram Copy(ReadOnlySpan<byte> encoded)
    {
        CoapDatagram datagram = Rent(encoded.Length);
        encoded.CopyTo(datagram.Buffer);
        datagram.Length = encoded.Length;
        return datagram;
    }

    private CoapDatagram? Encode(in CoapOutbound outbound)
    {
        CoapMessage message = outbound.Message ?? throw new InvalidOperationException($"Messaging asked for {outbound.Kind} without a message.");
        ICoapMessageSerializer serializer = !outbound.Channel.Transport.IsReliable ? _datagrams : outbound.Channel.HasMessages ? _webSockets : _streams;
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
            Counters.Add(CoapCounter.EncodeErrors);
            outbound.Channel.NoteDrop(CoapCounter.EncodeErrors);
            using IDisposable? scope = MessageScope.BeginFor(Logger, LogLevel.Error, outbound.Channel, message);
            Log.EncodeFailed(Logger, exception, message.Code, outbound.Channel);
            return message.Code.Class is 2 or 4 or 5 ? EncodeError(outbound, message, serializer) : null;
        }

        TellBytes(in outbound, datagram);
        SpareMessage.GiveBack(message);
        return datagram;
    }

    // Who asked would otherwise wait for an answer that never comes.
    private CoapDatagram EncodeError(in CoapOutbound outbound, CoapMessage message, ICoapMessageSerializer serializer)
    {
        CoapMessage error = new(CoapCode.InternalServerError) { Type = message.Type, MessageId = message.MessageId, Token = message.Token };
        CoapDatagram datagram = Rent(checked((int)serializer.GetSize(error)));
        datagram.Length = serializer.TrySerialize(datagram.Buffer, error, out int written) ? written : 0;
        TellBytes(in outbound, datagram);
        return datagram;
    }

    private static void TellBytes(in CoapOutbound outbound, CoapDatagram datagram)
    {
        if (outbound.KeepsBytes)
        {
            outbound.Channel.Shard.Drain.OnEncoded(in outbound, datagram.Span);
        }
    }

    private CoapDatagram Rent(int size) => size <= _pool.BufferSize ? _pool.Rent() : new CoapDatagram(size);
}
