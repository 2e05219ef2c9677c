namespace CoAP.NET.Formats;

/// <summary>Behind the outbound half of a Serializer of a user; see <see cref="UserSerializerInboundCheck"/>.</summary>
internal sealed class UserSerializerOutboundCheck(CoapEnvironment environment)
    : InlineBlock<CoapDatagram, CoapDatagram>(environment.Counters, environment.Logger)
{
    internal override void Process(CoapDatagram item)
    {
        if (item?.Channel is null)
        {
            throw new InvalidOperationException(
                "The Serializer returned a datagram without a channel. Make datagrams by CoapStageContext.Encoded.");
        }

        Offer(item);
    }

    private protected override void OnFailed(CoapDatagram item) => item?.Dispose();
}
