namespace CoAP.NET.Tests.Engines;

/// <summary>
/// A way to move messages over real sockets of the loopback, made into servers and clients. A test that runs on every engine sees nothing
/// else of it.
/// </summary>
internal abstract class TestEngine : IAsyncDisposable
{
    /// <summary>Makes a server that listens on a free port of the loopback; it is not started.</summary>
    public virtual CoapServer MakeServer(CoapEndpointOptions options)
    {
        ConfigureServer(options);
        CoapServer server = new(options);
        server.Listen($"{Scheme}://127.0.0.1:0");
        return server;
    }

    /// <summary>Starts a server.</summary>
    /// <returns>Its URI without a path.</returns>
    public virtual async Task<string> StartAsync(CoapServer server)
    {
        await server.StartAsync();
        return Assert.Single(server.LocalEndpoints);
    }

    /// <summary>Makes a client of that server.</summary>
    public CoapClient MakeClient(CoapEndpointOptions options)
    {
        ConfigureClient(options);
        return new CoapClient(options);
    }

    public virtual ValueTask DisposeAsync() => ValueTask.CompletedTask;

    protected abstract string Scheme { get; }

    protected abstract void ConfigureServer(CoapEndpointOptions options);

    protected virtual void ConfigureClient(CoapEndpointOptions options) => ConfigureServer(options);
}
