using CoAP.NET;
using CoAP.NET.Http;
using Yarp.ReverseProxy.Forwarder;

namespace YarpSample;

/// <summary>What YARP forwards with: CoAP instead of HTTP.</summary>
/// <param name="coap">One for all clusters.</param>
internal sealed class CoapForwarderFactory(CoapClient coap) : IForwarderHttpClientFactory
{
    public HttpMessageInvoker CreateClient(ForwarderHttpClientContext context) => new(new CoapHttpMessageHandler(coap));
}
