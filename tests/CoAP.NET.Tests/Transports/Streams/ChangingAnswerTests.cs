using System.Net;
using System.Net.Security;
using CoAP.NET.Tests.Blockwise;
using CoAP.NET.Tests.Transports.Tcp;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>
/// Answers of many mebibytes over connections that are others at each run of their handler, fetched by several clients at a time.
/// </summary>
public sealed class ChangingAnswerTests
{
    [Theory]
    [InlineData("coap+tcp", 4)]
    [InlineData("coap+tcp", 15)]
    [InlineData("coaps+tcp", 5)]
    public async Task Each_client_gets_one_consistent_version_of_a_changing_document(string scheme, int mebibytes)
    {
        using TlsCertificates certificates = new();
        SslServerAuthenticationOptions tls = new() { ServerCertificate = certificates.Server(["127.0.0.1"]) };
        CoapEndpointOptions options = new() { Tls = new CoapTlsOptions { Server = tls } };

        // All clients are of one source here, which has room for all of their documents.
        options.Limits.Blockwise.ResponseMemory = 256 << 20;
        await using CoapServer server = new(options);
        ChangingDocument document = new(mebibytes << 20);
        server.MapGet("/document", document.Make);
        server.Listen($"{scheme}://127.0.0.1:0");
        await server.StartAsync();
        string uri = server.LocalEndpoints.Single(endpoint => endpoint.Scheme == scheme) + "document";
        CoapClient[] clients = [.. Enumerable.Range(0, 3).Select(_ => new CoapClient(new CoapEndpointOptions
        {
            Tls = new CoapTlsOptions { Client = new SslClientAuthenticationOptions { CertificateChainPolicy = certificates.Trust() } },
        }))];
        try
        {
            CoapResponse[] answers = await Task.WhenAll(clients.Select(client => client.GetAsync(uri))).WaitAsync(FromMinutes(2));

            // All of them blocks of one body, and no two of the same.
            Assert.Equal([1, 2, 3], answers.Select(answer => document.NumberOf(answer.Payload.Span)).Order());
            Assert.Equal(3, document.Runs);
            Assert.Equal(4, document.NumberOf((await clients[0].GetAsync(uri).WaitAsync(FromMinutes(1))).Payload.Span));
        }
        finally
        {
            foreach (CoapClient client in clients)
            {
                await client.DisposeAsync();
            }
        }
    }
}
