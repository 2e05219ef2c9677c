using CoAP.NET.Testing;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>
/// Transfers over networks that lose, double, delay and overtake: COAP_TEST_PATHS of them (default 1), by COAP_TEST_SEED.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class FaultyNetworkTests
{
    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7959-2.5-7", "7959-2.5-4")]
    public async Task A_transfer_ends_with_the_right_body_after_one_run_or_with_an_error()
    {
        int seed = CampaignSetting.Of("COAP_TEST_SEED", 20_261);
        int paths = CampaignSetting.Of("COAP_TEST_PATHS", 1);
        int right = 0;
        int all = 0;
        for (int i = 0; i < paths; i++)
        {
            Random random = new(seed + i);
            NetworkConditions conditions = new()
            {
                Loss = random.Next(3) * 0.08,
                Duplication = random.Next(3) * 0.15,
                Reordering = random.Next(3) * 0.15,
                ReorderingWindow = FromSeconds(random.Next(4)),
                MinDelay = FromMilliseconds(10),
                MaxDelay = FromMilliseconds(10 + random.Next(1500)),
            };
            try
            {
                (int ended, int succeeded) = await RunAsync(conditions, random, seed + i);
                all += ended;
                right += succeeded;
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"The path with seed {seed + i} failed.", exception);
            }
        }

        Assert.True(right > all * 3 / 4, $"{right} of {all}");
    }

    private static async Task<(int All, int Right)> RunAsync(NetworkConditions conditions, Random random, int seed)
    {
        await using TransferNetwork network =
            new(conditions, seed, options: options => options.Transports.Shards = random.Next(2) == 0 ? 1 : 4);
        network.Server.MapPost("/whole", network.Take);
        network.Server.MapPost("/stream", network.TakeStreamAsync).WithStreamedBody();
        network.Server.MapFetch("/whole", network.Take);
        network.Server.MapGet("/get", () => CoapResults.Bytes(TransferNetwork.Body(900)));
        await network.StartAsync();
        List<(byte[] Body, CoapMethod Method, Task<CoapResponse> Response)> transfers = [];
        for (int i = 0; i < 3; i++)
        {
            CoapClient client = network.Client($"192.0.2.{10 + i}:40000",
                options => options.Parameters = new CoapTransmissionParameters { NStart = 1 + i });
            for (int k = 0; k < 3; k++)
            {
                int size = 16 << random.Next(2, 7);
                byte[] body = TransferNetwork.Body(random.Next(6 * size), (i * 10) + k);
                CoapRequest request = new(random.Next(3) == 0 ? CoapMethod.Fetch : CoapMethod.Post, TransferNetwork.Uri + "whole")
                {
                    Content = CoapContent.Binary(body),
                    BlockSize = size
                };
                if (request.Code == CoapCode.Post && random.Next(2) == 0)
                {
                    request = new CoapRequest(CoapMethod.Post, TransferNetwork.Uri + "stream")
                    {
                        Content = CoapContent.Stream(new MemoryStream(body)),
                        BlockSize = size
                    };
                }

                transfers.Add((body, request.Method, client.SendAsync(request)));
            }

            transfers.Add(([], CoapMethod.Get,
                client.SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "get") { BlockSize = 128 })));
        }

        int right = 0;
        foreach ((byte[] body, CoapMethod method, Task<CoapResponse> task) in transfers)
        {
            try
            {
                CoapResponse response = await network.PassAsync(task);
                if (response.IsSuccess)
                {
                    right++;
                    Assert.Equal(method == CoapMethod.Get ? TransferNetwork.Body(900) : TransferNetwork.AnswerTo(body),
                        response.Payload.ToArray());
                }
            }
            catch (CoapException)
            {
                // Each of them says why; what matters is that it ends, and what the server did.
            }
        }

        HashSet<string> sent = [.. transfers.Select(transfer => Convert.ToHexString(transfer.Body))];
        Assert.All(network.Runs.Keys, body => Assert.Contains(body, sent), throwIfEmpty: true);

        // Duplicates of a safe request may be run again, as their answers are not kept.
        Assert.All(transfers.Where(transfer => transfer.Method == CoapMethod.Post && transfer.Body.Length > 16),
            transfer => Assert.InRange(network.RunsOf(transfer.Body), 0, 1));
        await network.AssertAllIsFreeAsync();
        return (transfers.Count, right);
    }
}
