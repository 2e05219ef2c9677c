namespace CoAP.NET.Cli.Tests;

/// <summary>Requests to several peers at once.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class GroupTests
{
    [Fact]
    public async Task Each_response_of_a_group_is_shown_with_its_server()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        await using CoapServer one = await MemberAsync(network, "192.0.2.1:5683", "one");
        await using CoapServer two = await MemberAsync(network, "192.0.2.2:5683", "two");

        CliRun run = await clock.AdvanceUntilAsync(Harness(network).InvokeAsync("get", "coap://224.0.1.187/name", "--max-answers", "2"),
            FromMinutes(5));

        run.HasExitCode(ExitCodes.Success);
        run.HasOut("coap://192.0.2.1/name 2.05 Content\none\n");
        run.HasOut("coap://192.0.2.2/name 2.05 Content\ntwo\n");
    }

    [Fact]
    public async Task An_unanswered_group_request_ends_with_the_timeout_exit_code()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);

        CliRun run = await clock.AdvanceUntilAsync(Harness(network).InvokeAsync("get", "coap://224.0.1.187/name", "--timeout", "3s"),
            FromMinutes(5));

        run.HasExitCode(ExitCodes.Timeout);
        run.HasError("No member of coap://224.0.1.187/name answered within 3 s.");
    }

    private static CliHarness Harness(InMemoryNetwork network) => new()
    {
        TimeProvider = network.TimeProvider,
        CreateClient = options =>
        {
            CoapClient client = new(options);
            client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.99:40000")));
            return client;
        },
    };

    private static async Task<CoapServer> MemberAsync(InMemoryNetwork network, string address, string name)
    {
        CoapServer server = new(new CoapEndpointOptions { TimeProvider = network.TimeProvider });
        CoapTransport transport = network.CreateTransport(InMemoryNetwork.Address(address));
        server.Endpoint.AddTransport(transport);
        server.MapGet("/name", () => CoapResults.Text(name)).AllowMulticast();
        await server.StartAsync();
        network.JoinGroup(InMemoryNetwork.Address(address), InMemoryNetwork.Address("224.0.1.187:5683"));
        return server;
    }
}
