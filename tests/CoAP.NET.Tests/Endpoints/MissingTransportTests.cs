using CoAP.NET.Composition;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>The messages about schemes that an endpoint has no transport for.</summary>
public sealed class MissingTransportTests
{
    [Fact]
    public async Task A_request_to_coaps_without_keys_names_the_missing_call()
    {
        await using CoapClient client = new();
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => client.GetAsync("coaps://127.0.0.1/x"));
        Assert.Equal(MissingTransport.KeysToSend, exception.Message);
        Assert.Contains("call UsePsk", exception.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("package", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_address_of_coaps_without_keys_names_the_missing_call()
    {
        await using CoapServer server = new();
        ArgumentException exception = Assert.Throws<ArgumentException>(() => server.Listen("coaps://127.0.0.1:0"));
        Assert.Equal("Cannot listen on 'coaps://127.0.0.1:0'. " + MissingTransport.KeysToListen, exception.Message);
        Assert.Contains("Call ListenSecure", exception.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Without_the_package_the_message_names_it() => Assert.All(
        [false, true],
        listens => Assert.Contains(
            "dotnet add package CoAP.NET.Dtls", MissingTransport.Describe("coaps", hasDtls: false, listens), StringComparison.Ordinal));

    [Fact]
    public void Another_scheme_needs_a_transport_of_the_application() =>
        Assert.Contains(
            "Add one by AddTransport", MissingTransport.Describe("coap+x", hasDtls: true, listens: false), StringComparison.Ordinal);

    [Fact]
    public async Task A_function_sets_the_options_of_a_client_and_of_a_server()
    {
        await using CoapClient client = new(options => options.Name = "client");
        await using CoapServer server = new(options => options.Name = "server");
        Assert.Equal("client", client.Endpoint.Name);
        Assert.Equal("server", server.Endpoint.Name);
    }
}
