using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Engines;

/// <summary>
/// The WebSockets of the platform, used by a client as in a page of a browser: without names, sockets and threads of its own.
/// </summary>
internal sealed class BrowserTestEngine : WebSocketTestEngine
{
    public override CoapClient MakeClient(CoapEndpointOptions options)
    {
        options.IsInBrowser = true;
        if (options.Pipeline.Scheduler == CoapThreadScheduler.Default)
        {
            options.Pipeline.Scheduler = new PoolScheduler();
        }

        return base.MakeClient(options);
    }
}
