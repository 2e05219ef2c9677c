namespace CoAP.NET.Cli.Tests.Serving;

/// <summary>Where the servers of the tool listen when the command line names no address.</summary>
public sealed class DefaultAddressTests
{
    // The tool is stopped before it opens the address: another program may use the port.
    [Theory]
    [InlineData("[::]", "serve", ".")]
    [InlineData("localhost", "proxy", "--allow", "sensor.example.com")]
    public async Task A_shared_folder_is_for_other_machines_and_a_proxy_is_for_this_one(string host, params string[] args)
    {
        CoapServer? server = null;
        CliHarness tool = new()
        {
            Stopped = new CancellationToken(canceled: true),
            CreateServer = options => server = new CoapServer(options),
        };
        await tool.InvokeAsync(args);

        CoapUri address = Assert.Single(server!.Endpoint.Core.Transports.Unopened);
        Assert.Equal(("coap", host, 5683), (address.Scheme, address.Host, address.Port));
    }
}
