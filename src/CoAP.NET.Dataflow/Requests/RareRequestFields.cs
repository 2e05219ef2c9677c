namespace CoAP.NET.Requests;

/// <summary>Rarely used fields of received requests; servers create very many requests.</summary>
internal sealed class RareRequestFields
{
    public ReceivedRequestBodyState? Body { get; set; }

    public ServerRequestMeter? Meter { get; set; }

    /// <summary>The age of the Echo that the request brought back, in units of 100 ns; -1 for none.</summary>
    public long EchoAge { get; set; } = -1;

    public ResultBodyStreamDisposer? Opened { get; set; }

    public IServiceProvider? Services { get; set; }
}
