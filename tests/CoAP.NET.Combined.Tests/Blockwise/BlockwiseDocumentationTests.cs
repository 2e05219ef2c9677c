using System.Security.Cryptography;
using CoAP.NET.QBlock;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>The snippets of docs/blockwise.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class BlockwiseDocumentationTests : GuideTest
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("blockwise.md", "Blockwise", 8);

    [Fact]
    public void UseQBlock_allows_Q_Block()
    {
        CoapEndpointOptions options = new CoapEndpointOptions().UseQBlock();

        Assert.False(options.QBlock!.AllowsUnsecured);
    }

    [Fact]
    public async Task Files_are_uploaded_and_downloaded()
    {
        string path = Path.GetTempFileName();
        string copy = Path.GetTempFileName();
        byte[] body = new byte[30_000];
        new Random(1).NextBytes(body);
        await File.WriteAllBytesAsync(path, body);
        MemoryStream store = new();
        server.MapGet("/firmware", () => CoapResults.File(path));
        server.MapPut("/firmware", async (request, cancellationToken) =>
        {
            await request.BodyReader.CopyToAsync(store, cancellationToken);
            return CoapResults.Changed();
        }).WithStreamedBody().WithMaxBodySize(100L << 20);
        await StartAsync();
        LastProgress progress = new();
        await RunAsync(async () =>
        {
            await client.PutAsync("coap://[::1]/firmware", CoapContent.File(path), cancellationToken);

            {
                await using FileStream destination = File.Create(copy);
                CoapRequest get = new(CoapMethod.Get, "coap://[::1]/firmware")
                {
                    Destination = destination,
                    Progress = progress,
                };
                CoapResponse response = await client.SendAsync(get, cancellationToken);

                destination.SetLength(12_345);
                CoapETag? tag = progress.Last.ETag;
                get.Download = new CoapDownloadOptions { Offset = destination.Length, ETag = tag };
                response = await client.SendAsync(get, cancellationToken);
            }

            byte[] buffer = new byte[1000];
            await using CoapResponseBodyStream body = await client.OpenReadAsync("coap://[::1]/firmware", cancellationToken);
            int read = await body.ReadAsync(buffer, cancellationToken);
            Assert.InRange(read, 1, buffer.Length);

            CoapRequest request = new(CoapMethod.Get, "coap://[::1]/firmware") { BlockSize = 256 };
            Assert.Equal(30_000, (await client.SendAsync(request)).Payload.Length);
        });
        Assert.Equal(body, store.ToArray());
        Assert.Equal(SHA256.HashData(body), SHA256.HashData(await File.ReadAllBytesAsync(copy)));
        Assert.InRange(server.BodyBytes, 0, 2048);
        File.Delete(path);
        File.Delete(copy);
    }

    [Fact]
    public void A_shorter_EXCHANGE_LIFETIME_frees_Message_IDs_earlier()
    {
        CoapEndpointOptions options = new()
        {
            Parameters = CoapTransmissionParameters.Default with
            {
                MaxRetransmit = 2,
                AckTimeout = TimeSpan.FromSeconds(1),
                MaxLatency = TimeSpan.FromSeconds(2)
            },
        };
        Assert.Equal(TimeSpan.FromSeconds(10.5), new[] { options.Parameters.ExchangeLifetime, options.Parameters.MaxTransmitWait }.Max());
    }

    private sealed class LastProgress : IProgress<CoapProgress>
    {
        public CoapProgress Last { get; private set; }

        public void Report(CoapProgress value) => Last = value;
    }
}
