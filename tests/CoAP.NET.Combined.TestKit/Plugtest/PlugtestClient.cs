using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>Our client on a network and a clock of the test, and a server that says byte for byte what the test has it say.</summary>
public abstract class PlugtestClient : IAsyncLifetime
{
    private protected const string Uri = "coap://192.0.2.1";

    private protected static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private protected static readonly CoapAddress s_client = InMemoryNetwork.Address("192.0.2.2:40000");

    private protected PlugtestClient()
    {
        Network = new InMemoryNetwork(Clock);
        Client = new CoapClient(new CoapEndpointOptions { TimeProvider = Clock, Pipeline = { Random = new VirtualRandom(5) } });
        Client.Endpoint.AddTransport(Network.CreateTransport(s_client));
        Server = Network.CreatePeer(s_server);
    }

    private protected VirtualClock Clock { get; } = new();

    private protected InMemoryNetwork Network { get; }

    private protected CoapClient Client { get; }

    private protected ScriptedPeer Server { get; }

    public async ValueTask InitializeAsync() => await Client.Endpoint.StartAsync();

    public async ValueTask DisposeAsync()
    {
        Server.Dispose();
        await Client.DisposeAsync();
    }

    /// <summary>Waits for threads, not for time.</summary>
    private protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(FromMinutes(2));

    internal static CoapRequest Request(CoapMethod method, string path, string? content = null, bool confirmable = true,
        CoapOption? option = null)
    {
        CoapRequest request = new(method, Uri + path)
        {
            Confirmable = confirmable,
            Content = content is null ? null : CoapContent.Text(content)
        };
        if (option is not null)
        {
            request.Options.Add(option);
        }

        return request;
    }

    /// <summary>
    /// Sends a request, holds it against a pattern after its token, and answers it by the acknowledgement, or by a Non-confirmable message.
    /// </summary>
    private protected async Task<CoapResponse> ExchangeAsync(CoapRequest request, string expected, string answer)
    {
        Task<CoapResponse> task = Client.SendAsync(request);
        Server.Expect($"{(request.Confirmable ? 4 : 5)}? {expected[..2]} <mid:2> <token:tkl> {expected[2..]}");
        Server.Send($"{(request.Confirmable ? "64" : "54")} {answer[..2]} {(request.Confirmable ? "<mid>" : "7001")} <token> {answer[2..]}");
        CoapResponse response = await Within(task);
        Server.ExpectNothing();
        return response;
    }
}
