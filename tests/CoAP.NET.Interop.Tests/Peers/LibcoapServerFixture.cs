namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// libcoap's server, which echoes what is PUT (<c>-e</c>), for all tests of a class; not started where the program is absent.
/// </summary>
public sealed class LibcoapServerFixture : IAsyncLifetime
{
    private LibcoapServer? _server;

    /// <summary>The URI of one of its resources.</summary>
    public string Uri(string path) => _server!.Uri(path).OriginalString;

    public async Task InitializeAsync() =>
        _server = PeerProgram.SkipReason([LibcoapServer.Program]) is null ? await LibcoapServer.StartAsync("-e") : null;

    public async Task DisposeAsync() => await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
}
