using System.Net;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>
/// A client on virtual time behind a <see cref="DirectTransport"/>. Every name has two addresses unless the test says otherwise.
/// </summary>
public abstract class RequestingTest : IAsyncLifetime
{
    private CoapClient? _client;

    private protected RequestingTest() => Options = new CoapEndpointOptions
    {
        TimeProvider = Clock,
        Pipeline = { Random = new VirtualRandom(42) },
        Transports = { ResolveHost = (_, _) => Task.FromResult(new[] { IPAddress.Parse("192.0.2.9"), IPAddress.Parse("192.0.2.1") }) },
    };

    private protected VirtualClock Clock { get; } = new();

    private protected DirectTransport Transport { get; } = new();

    private protected CoapEndpointOptions Options { get; }

    /// <summary>Made with the options as they are when it is first used.</summary>
    private protected CoapClient Client
    {
        get
        {
            if (_client is null)
            {
                _client = new CoapClient(Options);
                _client.Endpoint.AddTransport(Transport);
            }

            return _client;
        }
    }

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync() => await Client.DisposeAsync();
}
