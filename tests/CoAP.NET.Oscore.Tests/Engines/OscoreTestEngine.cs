using CoAP.NET.Tests.Engines;

namespace CoAP.NET.Oscore.Tests.Engines;

/// <summary>
/// OSCORE over another engine: whatever a test maps is served to protected requests only, and each client has a security context of its
/// own.
/// </summary>
internal sealed class OscoreTestEngine(TestEngine engine) : TestEngine
{
    private readonly OscoreContexts _contexts = new();
    private string _uri = "";
    private byte _clients;

    public override CoapServer MakeServer(CoapEndpointOptions options)
    {
        CoapServer server = engine.MakeServer(options.UseOscore(_contexts));
        server.Routes.RequireOscore();
        return server;
    }

    public override async Task<string> StartAsync(CoapServer server) => _uri = await engine.StartAsync(server);

    public override CoapClient MakeClient(CoapEndpointOptions options)
    {
        string id = Convert.ToHexStringLower([0x10, ++_clients]);
        _contexts.Add(OscoreWorld.ServerContext(client: id));
        return engine.MakeClient(options.UseOscore(new OscoreContexts().Add(_uri, OscoreWorld.ClientContext(client: id))));
    }

    public override async ValueTask DisposeAsync()
    {
        await engine.DisposeAsync();
        await base.DisposeAsync();
    }
}
