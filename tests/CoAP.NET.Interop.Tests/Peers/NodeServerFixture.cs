namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The server made with node-coap for all tests of a class.</summary>
public sealed class NodeServerFixture : IAsyncLifetime
{
    private SampleServer _server = null!;

    /// <summary>Its address, such as <c>coap://127.0.0.1:41234</c>.</summary>
    public string Host => _server.Uri.OriginalString.TrimEnd('/');

    public async ValueTask InitializeAsync() => _server = await NodePeers.StartServerAsync();

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
