using System.Net;
using CoAP.NET.Blockwise;
using CoAP.NET.Resources;

namespace CoAP.NET.Requests;

/// <summary>Rarely used fields of requests; servers create very many requests.</summary>
internal sealed class RequestMore
{
    /// <summary>See <see cref="CoapRequest.Body"/>.</summary>
    public ExchangeBody? Body { get; set; }

    /// <summary>See <see cref="CoapRequest.Content"/>.</summary>
    public CoapContent? Content { get; set; }

    /// <summary>See <see cref="CoapRequest.Transfer"/>.</summary>
    public TransferSettings? Transfer { get; set; }

    /// <summary>See <see cref="CoapRequest.LocalAddress"/>.</summary>
    public IPAddress? LocalAddress { get; set; }

    /// <summary>See <see cref="CoapRequest.Watch"/>.</summary>
    public ServerWatch? Watch { get; set; }

    /// <summary>The age of the Echo that the request brought back, in units of 100 ns; -1 for none.</summary>
    public long EchoAge { get; set; } = -1;

    /// <summary>See <see cref="CoapRequest.Opened"/>.</summary>
    public OpenedStreams? Opened { get; set; }

    /// <summary>See <see cref="CoapRequest.Services"/>.</summary>
    public IServiceProvider? Services { get; set; }
}
