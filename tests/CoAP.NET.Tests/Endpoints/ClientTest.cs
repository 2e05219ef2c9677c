using System.Net;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client on a transport whose datagrams the test sees and makes, on virtual time.</summary>
public abstract class ClientTest : IAsyncLifetime
{
    private protected static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5683);
    private protected static readonly CoapAddress s_stranger = CoapAddress.FromIPv4(0xc0000209, 5683);

    private protected readonly VirtualClock _clock = new();
    private protected readonly DirectTransport _transport = new();
    private protected CoapTransmissionParameters _parameters = CoapTransmissionParameters.Default;
    private CoapClient? _client;

    private protected CoapClient Client
    {
        get
        {
            if (_client is null)
            {
                _client = new CoapClient(new CoapEndpointOptions
                {
                    TimeProvider = _clock,
                    Random = new VirtualRandom(42),
                    Parameters = _parameters,
                    ResolveHost = (name, _) => Task.FromResult(name == "two.example"
                        ? new[] { IPAddress.Parse("192.0.2.9"), IPAddress.Parse("192.0.2.1") }
                        : [IPAddress.Parse("192.0.2.1")]),
                });
                _client.Endpoint.AddTransport(_transport);
            }

            return _client;
        }
    }

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        if (_client is not null)
        {
            await _client.DisposeAsync();
        }
    }

    private protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(TimeSpan.FromSeconds(30));

    private protected static Task Within(Task task) => task.WaitAsync(TimeSpan.FromSeconds(30));

    private protected Sent TakeOne() => new(Assert.Single(_transport.TakeSent()));

    private protected sealed record Sent(string Hex)
    {
        public int Type => (Convert.ToInt32(Hex[..1], 16)) & 3;

        public int Code => Convert.ToInt32(Hex[2..4], 16);

        public string MessageId => Hex[4..8];

        public string Token => Hex.Substring(8, 2 * (Convert.ToInt32(Hex[1..2], 16)));
    }
}
