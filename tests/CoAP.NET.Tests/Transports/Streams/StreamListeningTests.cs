using System.Net.Security;

namespace CoAP.NET.Tests.Transports.Streams;

// Which schemes of reliable transports an endpoint listens on, and what it needs for it.
public class StreamListeningTests
{
    [Theory]
    [InlineData("coap+tcp://[::]")]
    [InlineData("coap+tcp://*:5683")]
    [InlineData("coap+tcp://127.0.0.1:0")]
    [InlineData("coap+tcp://localhost:0")]
    public async Task Listen_accepts_coap_tcp_addresses(string uri)
    {
        await using CoapEndpoint endpoint = new();
        endpoint.Listen(uri);
        Assert.True(endpoint.Core.Transports.HasAny);
    }

    [Fact]
    [Rfc("8323-9-1")]
    public async Task Listening_on_TLS_needs_a_certificate()
    {
        await using CoapEndpoint bare = new();
        ArgumentException error = Assert.Throws<ArgumentException>(() => bare.Listen("coaps+tcp://[::]"));
        error.Mentions("CoapEndpointOptions.Tls");

        await using CoapEndpoint client =
            new(new CoapEndpointOptions { Tls = new CoapTlsOptions { Client = new SslClientAuthenticationOptions() } });
        Assert.Throws<ArgumentException>(() => client.Listen("coaps+tcp://[::]"));

        await using CoapEndpoint server =
            new(new CoapEndpointOptions { Tls = new CoapTlsOptions { Server = new SslServerAuthenticationOptions() } });
        server.Listen("coaps+tcp://[::]");

        await using CoapEndpoint selecting = new(new CoapEndpointOptions
        {
            Tls = new CoapTlsOptions { SelectServer = static (_, _, _, _) => ValueTask.FromResult(new SslServerAuthenticationOptions()) },
        });
        selecting.Listen("coaps+tcp://*:0");
    }

    [Theory]
    [InlineData("coap+tcp://224.0.1.187")]
    [InlineData("coap+tcp://[ff02::fd]:5683")]
    [Rfc("8323-8-1")]
    public async Task Listen_refuses_multicast_addresses_on_TCP(string uri)
    {
        await using CoapEndpoint endpoint = new();
        ArgumentException error = Assert.Throws<ArgumentException>(() => endpoint.Listen(uri));
        error.Mentions("RFC 8323");
    }

    [Theory]
    [InlineData("coap+ws://[::]")]
    [InlineData("coaps://[::]")]
    [InlineData("coap+tcp://[::]/path")]
    [InlineData("coap+tcp://[::]?query")]
    public async Task Listen_refuses_other_schemes_and_URIs_with_a_path_or_query(string uri)
    {
        await using CoapEndpoint endpoint = new();
        Assert.Throws<ArgumentException>(() => endpoint.Listen(uri));
    }
}
