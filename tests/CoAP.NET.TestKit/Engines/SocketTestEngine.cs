namespace CoAP.NET.Tests.Engines;

/// <summary>An engine of a transport that is chosen by the scheme of a URI and by options.</summary>
internal abstract class SocketTestEngine : TestEngine
{
    public override CoapServer MakeServer(CoapEndpointOptions options)
    {
        ConfigureServer(options);
        CoapServer server = new(options);
        server.Listen($"{Scheme}://127.0.0.1:0");
        return server;
    }

    public override async Task<string> StartAsync(CoapServer server)
    {
        await server.StartAsync();
        return Assert.Single(server.LocalEndpoints).ToString().TrimEnd('/');
    }

    public override CoapClient MakeClient(CoapEndpointOptions options)
    {
        ConfigureClient(options);
        return new CoapClient(options);
    }

    protected abstract string Scheme { get; }

    protected abstract void ConfigureServer(CoapEndpointOptions options);

    protected virtual void ConfigureClient(CoapEndpointOptions options) => ConfigureServer(options);
}
