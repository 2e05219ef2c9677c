namespace CoAP.NET.Tests.Transports.Streams.Engines;

/// <summary>
/// By a transport with a thread for each connection, through public members only. It bounds nothing, so what is to be borne by the others
/// is not asked of it.
/// </summary>
public sealed class BlockingSuite : ExchangeSuite
{
    protected override CoapSocketEngine Engine => CoapSocketEngine.Auto;

    protected override bool IsBlocking => true;
}
