namespace CoAP.NET.Tests.Engines;

/// <summary>
/// A way to move messages over real sockets of the loopback, made into servers and clients. A test that runs on every engine sees nothing
/// else of it.
/// </summary>
public abstract class TestEngine : IAsyncDisposable
{
    /// <summary>Makes a server that listens on a free port of the loopback; it is not started.</summary>
    public abstract CoapServer MakeServer(CoapEndpointOptions options);

    /// <summary>Starts a server.</summary>
    /// <returns>Its URI without a path.</returns>
    public abstract Task<string> StartAsync(CoapServer server);

    /// <summary>Makes a client of that server.</summary>
    public abstract CoapClient MakeClient(CoapEndpointOptions options);

    public virtual ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
