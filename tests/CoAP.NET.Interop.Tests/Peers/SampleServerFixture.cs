using System.Net;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>samples/Server for all tests of a class, which run one after another.</summary>
public sealed class SampleServerFixture : IAsyncLifetime
{
    private SampleServer? _server;

    /// <summary>Its address, such as <c>coap://127.0.0.1:41234</c>.</summary>
    public string Host => _server!.Uri.OriginalString.TrimEnd('/');

    internal IPEndPoint EndPoint => new(IPAddress.Loopback, _server!.Uri.Port);

    public async ValueTask InitializeAsync() => _server = await SampleServer.StartAsync("samples/Server", "--bind", "coap://127.0.0.1:0");

    public async ValueTask DisposeAsync() => await (_server?.DisposeAsync() ?? ValueTask.CompletedTask);
}
