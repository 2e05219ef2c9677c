using CoAP.NET.Hosting;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>The clients of a host search directories, look up and register, with base address and handlers.</summary>
public sealed class ClientOfHostTests
{
    [Fact]
    public async Task An_injected_client_uses_its_base_address_and_its_handlers()
    {
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        await using CoapDirectoryServer served =
            server.MapResourceDirectory(new CoapDirectoryOptions { Unsecured = CoapUnsecuredRegistrations.Anyone });
        await server.StartAsync();
        Seen seen = new();
        ServiceCollection services = new();
        services.AddSingleton(seen);
        services.AddCoapClient(options => options.BaseAddress = server.LocalEndpoints[0]).AddHandler<Recording>();
        await using ServiceProvider provider = services.BuildServiceProvider();
        ICoapClient client = provider.GetRequiredService<ICoapClient>();

        CoapDirectoryClient directory = await CoapDirectoryClient.DiscoverAsync(client, "");
        await using (CoapRegistration registration = CoapRegistration.Start(
            client, "", new CoapRegistrationOptions { EndpointName = "node", Links = [new CoapLink("/light")] }))
        {
            await registration.WhenRegisteredAsync().WaitAsync(FromMinutes(2));
            List<string> found = [];
            await foreach (CoapDirectoryEndpoint endpoint in directory.FindEndpointsAsync())
            {
                found.Add(endpoint.Name!);
            }

            Assert.Equal(["node"], found);
        }

        Assert.Equal(0, served.Count);
        Assert.Contains("GET /.well-known/core", seen.Requests);
        Assert.Contains("POST /rd", seen.Requests);
        Assert.Contains("GET /rd-lookup/ep", seen.Requests);
        Assert.Contains(seen.Requests, request => request.StartsWith("DELETE /rd/", Ordinal));
    }

    [Fact]
    public async Task An_endpoint_can_look_up_in_a_directory_with_known_URIs()
    {
        await using CoapEndpointPair pair = new();
        await using CoapDirectoryServer served = pair.Server.MapResourceDirectory();
        await pair.StartAsync();
        CoapUri lookup = CoapUri.Parse(CoapEndpointPair.Address + "/rd-lookup/ep");
        CoapDirectoryClient directory = new(pair.Client.Endpoint, null, endpointLookup: lookup);

        Assert.Equal(0, await pair.RunAsync(() => CountAsync(directory)));
    }

    [Fact]
    public async Task A_relative_URI_requires_a_base_address()
    {
        await using CoapClient client = new();
        await Assert.ThrowsAnyAsync<ArgumentException>(() => CoapDirectoryClient.DiscoverAsync(client, ""));
        Assert.ThrowsAny<ArgumentException>(() => CoapRegistration.Start(client, "", new CoapRegistrationOptions()));
    }

    private static async Task<int> CountAsync(CoapDirectoryClient directory)
    {
        int count = 0;
        await foreach (CoapDirectoryEndpoint _ in directory.FindEndpointsAsync())
        {
            count++;
        }

        return count;
    }

    internal sealed class Seen
    {
        public List<string> Requests { get; } = [];
    }

    internal sealed class Recording(Seen seen) : ICoapClientHandler
    {
        public Task<CoapResponse> SendAsync(
            CoapRequest request, Func<CoapRequest, CancellationToken, Task<CoapResponse>> next, CancellationToken cancellationToken)
        {
            seen.Requests.Add($"{request.Code} {request.Path}");
            return next(request, cancellationToken);
        }
    }
}
