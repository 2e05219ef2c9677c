using CoAP.NET.Channels;
using CoAP.NET.Options;

namespace CoAP.NET.Exchanges;

// Responses to requests for which nothing is kept: RFC 8974 section 3.
public sealed partial class ExchangesInbound
{
    private void OnStatelessResponse(in CoapInbound item, CoapMessage message, StatelessTokens client, byte[] state, TimeSpan age)
    {
        if (!OptionRules.Check(message).IsAccepted)
        {
            Counters.Add(CoapCounter.BadOptions);
            Settle(in item, CoapOutboundKind.Reject);
            return;
        }

        Settle(in item, CoapOutboundKind.Acknowledge);
        client.Give(new CoapStatelessResponse(new CoapResponse(message, item.Channel.Remote), state, age));
    }
}
