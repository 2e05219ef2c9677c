namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The server made with node-coap for all tests of a class; not started where node-coap is absent.</summary>
public sealed class NodeServerFixture : IAsyncLifetime
{
    private SampleServer? _server;

    /// <summary>Its address, such as <c>coap://127.0.0.1:41234</c>.</summary>
    public string Host => _server!.Uri.OriginalString.TrimEnd('/');

    public async Task InitializeAsync() =>
        _server = PeerProgram.SkipReason([NodePeers.Program]) is null ? await NodePeers.StartServerAsync() : null;

    public async Task DisposeAsync() => await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
}
