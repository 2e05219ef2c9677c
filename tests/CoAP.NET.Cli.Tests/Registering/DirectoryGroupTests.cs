namespace CoAP.NET.Cli.Tests.Registering;

/// <summary><c>coap discover --rd --multicast</c>: all directories near.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class DirectoryGroupTests
{
    private static readonly string[] s_command = ["discover", "--rd", "--multicast"];

    [Fact]
    public async Task The_contents_of_each_directory_of_the_group_are_listed()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        await using CoapServer one = new(new CoapEndpointOptions { TimeProvider = clock });
        await using CoapServer two = new(new CoapEndpointOptions { TimeProvider = clock });
        (await StartAsync(one, network, "192.0.2.1:5683")).Add("a", "coap://[2001:db8::a]", new CoapLink("/lamp"));
        (await StartAsync(two, network, "192.0.2.2:5683")).Add("b", "coap://[2001:db8::b]", new CoapLink("/door"));

        CliRun resources = await RunAsync(network, s_command);
        CliRun endpoints = await RunAsync(network, [.. s_command, "--endpoints", "--json", "-q", "ep=b"]);

        resources.HasExitCode(ExitCodes.Success);
        resources.HasOut("coap://[2001:db8::a]\n\u2514\u2500\u2500 lamp\n");
        resources.HasOut("coap://[2001:db8::b]\n\u2514\u2500\u2500 door\n");
        endpoints.HasOut("\"ep\":\"b\"");
        endpoints.HasNoOut("\"ep\":\"a\"");
    }

    [Fact]
    public async Task A_failing_directory_does_not_hide_the_others_and_no_response_is_a_timeout()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock);
        CliRun silent = await RunAsync(network, [.. s_command, "--timeout", "3s"]);
        await using CoapServer one = new(new CoapEndpointOptions { TimeProvider = clock });
        await using CoapServer two = new(new CoapEndpointOptions { TimeProvider = clock });
        (await StartAsync(one, network, "192.0.2.1:5683")).Answers = _ => CoapResults.Forbidden("not you");
        (await StartAsync(two, network, "192.0.2.2:5683")).Add("b", "coap://[2001:db8::b]", new CoapLink("/door"));

        CliRun run = await RunAsync(network, s_command);

        silent.HasExitCode(ExitCodes.Timeout);
        silent.HasError("No resource directory answered at coap://224.0.1.190/ within 3 s.");
        run.HasOut("door");
        run.HasError("4.03");
    }

    private static Task<CliRun> RunAsync(InMemoryNetwork network, string[] args)
    {
        CliHarness harness = new()
        {
            TimeProvider = network.TimeProvider,
            CreateClient = options =>
            {
                CoapClient client = new(options);
                client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.99:40000")));
                return client;
            },
        };
        return ((VirtualClock)network.TimeProvider).AdvanceUntilAsync(harness.InvokeAsync(args), FromMinutes(5));
    }

    private static async Task<SmallDirectory> StartAsync(CoapServer server, InMemoryNetwork network, string address)
    {
        CoapTransport transport = network.CreateTransport(InMemoryNetwork.Address(address));
        server.Endpoint.AddTransport(transport);
        server.JoinGroups(new CoapGroupOptions { GroupSize = 4, ResponseRate = 1000 });
        SmallDirectory directory = new(server, network.TimeProvider);
        await server.StartAsync();
        network.JoinGroup(InMemoryNetwork.Address(address), InMemoryNetwork.Address("224.0.1.190:5683"));
        return directory;
    }
}
