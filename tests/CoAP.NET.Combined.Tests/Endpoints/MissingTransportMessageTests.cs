using CoAP.NET.Composition;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>The messages about schemes that an endpoint has no transport for.</summary>
public sealed class MissingTransportMessageTests
{
    [Fact]
    public async Task A_coaps_request_without_keys_fails_and_the_error_names_the_missing_call()
    {
        await using CoapClient client = new();
        CoapException exception = await Assert.ThrowsAsync<CoapException>(() => client.GetAsync("coaps://127.0.0.1/x"));
        Assert.Equal(MissingTransportMessage.KeysToSend, exception.Message);
        exception.Mentions("call UsePsk");
        exception.Message.Omits("package");
    }

    [Fact]
    public async Task Listening_on_coaps_without_keys_fails_and_the_error_names_the_missing_call()
    {
        await using CoapServer server = new();
        ArgumentException exception = Assert.Throws<ArgumentException>(() => server.Listen("coaps://127.0.0.1:0"));
        Assert.Equal("Cannot listen on 'coaps://127.0.0.1:0'. " + MissingTransportMessage.KeysToListen, exception.Message);
        exception.Mentions("Call ListenSecure");
    }

    [Fact]
    public void The_error_for_coaps_without_the_Dtls_package_names_the_package() => Assert.All(
        [false, true],
        listens => MissingTransportMessage.Describe("coaps", hasDtls: false, listens).Mentions("dotnet add package CoAP.NET.Dtls"));

    [Fact]
    public void The_error_for_an_unknown_scheme_names_AddTransport() =>
        MissingTransportMessage.Describe("coap+x", hasDtls: true, listens: false).Mentions("Add one with AddTransport");

    [Fact]
    public async Task A_delegate_sets_the_options_of_a_client_and_of_a_server()
    {
        await using CoapClient client = new(options => options.Name = "client");
        await using CoapServer server = new(options => options.Name = "server");
        Assert.Equal("client", client.Endpoint.Name);
        Assert.Equal("server", server.Endpoint.Name);
    }
}
