using CoAP.NET.Transports;

namespace CoAP.NET.Serialization;

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
        Items = new OutboundDatagramFactory(environment, pool);
    }

    internal OutboundDatagramFactory Items { get; }

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
        CoapDatagram? datagram = outbound.Encoded.IsEmpty ? Encode(in outbound) : Items.Copy(outbound.Encoded.Span);
        if (datagram is not null)
        {
            OutboundDatagramFactory.Address(datagram, in outbound);
        }

        return datagram;
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
                datagram = Items.Rent(checked((int)serializer.GetSize(message)));
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
            return Items.Fail(in outbound, exception) is { } error ? EncodeError(in outbound, error, serializer) : null;
        }

        OutboundDatagramFactory.ReportBytes(in outbound, datagram);
        return datagram;
    }

    private CoapDatagram EncodeError(in CoapOutbound outbound, CoapMessage error, ICoapMessageSerializer serializer)
    {
        CoapDatagram datagram = Items.Rent(checked((int)serializer.GetSize(error)));
        datagram.Length = serializer.TrySerialize(datagram.Buffer, error, out int written) ? written : 0;
        OutboundDatagramFactory.ReportBytes(in outbound, datagram);
        return datagram;
    }
}
