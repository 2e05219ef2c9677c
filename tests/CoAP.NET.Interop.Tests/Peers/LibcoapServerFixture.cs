namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// libcoap's server, which echoes what is PUT (<c>-e</c>), for all tests of a class.
/// </summary>
public sealed class LibcoapServerFixture : IAsyncLifetime
{
    private LibcoapServer _server = null!;

    /// <summary>The URI of one of its resources.</summary>
    public string Uri(string path) => _server.Uri(path).OriginalString;

    public async ValueTask InitializeAsync() => _server = await LibcoapServer.StartAsync("-e");

    public ValueTask DisposeAsync() => _server.DisposeAsync();
}
