using CoAP.NET.Blockwise;
using CoAP.NET.Resources;

namespace CoAP.NET.Requests;

/// <summary>Rarely used fields of received requests; servers create very many requests.</summary>
internal sealed class RareRequestFields
{
    /// <summary>See <see cref="CoapRequestContext.Body"/>.</summary>
    public ExchangeBody? Body { get; set; }

    /// <summary>See <see cref="CoapRequestContext.Watch"/>.</summary>
    public ServerRequestMeter? Watch { get; set; }

    /// <summary>The age of the Echo that the request brought back, in units of 100 ns; -1 for none.</summary>
    public long EchoAge { get; set; } = -1;

    /// <summary>See <see cref="CoapRequestContext.Opened"/>.</summary>
    public ResultStreamTracker? Opened { get; set; }

    /// <summary>See <see cref="CoapRequestContext.Services"/>.</summary>
    public IServiceProvider? Services { get; set; }
}
