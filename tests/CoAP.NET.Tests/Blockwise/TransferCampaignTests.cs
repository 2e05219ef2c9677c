namespace CoAP.NET.Tests.Blockwise;

/// <summary>Transfers of any size with servers of any manners: COAP_TEST_TRANSFERS of them (default 300), by COAP_TEST_SEED.</summary>
public sealed class TransferCampaignTests : TransferTest
{
    private enum Manners
    {
        Plain,
        BlockByBlock,
        ShrinksOnTheWay,
        LosesTheBody,
        TooLarge,
        Fails,
        Changes,
        AnswersNonsense,
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task A_transfer_ends_with_the_right_body_or_an_error_and_leaves_nothing_behind()
    {
        int seed = CampaignSetting.Of("COAP_TEST_SEED", 20_261);
        int count = CampaignSetting.Of("COAP_TEST_TRANSFERS", 300);
        int right = 0;
        for (int i = 0; i < count; i++)
        {
            try
            {
                right += await RunAsync(new Random(seed + i)) ? 1 : 0;
                AssertAllIsFree();

                // Nothing comes afterwards, and the Message IDs are free again: there are 65,536 for 247 s.
                int datagrams = Datagrams;
                Clock.Advance(FromMinutes(5));
                Assert.Equal(datagrams, Datagrams);
                Forget();
            }
            catch (Exception exception)
            {
                throw new InvalidOperationException($"Transfer with seed {seed + i} failed.", exception);
            }
        }

        Assert.InRange(right, count / 3, count);
    }

    private async Task<bool> RunAsync(Random random)
    {
        Requests.Clear();
        Manners manners = (Manners)random.Next(8);
        HandServer server = new()
        {
            Body = Bytes(random.Next(4) == 0 ? 16 << random.Next(7) : random.Next(6000), random.Next()),
            ETag = random.Next(2) == 0 ? [1] : null,
            MaxSizeExponent = random.Next(7),
            IsAtomic = manners != Manners.BlockByBlock,
            TellsSize = random.Next(2) == 0,
        };
        byte[] changed = Bytes(random.Next(3000), random.Next());
        byte[] original = server.Body;
        int at = random.Next(12);
        int seen = 0;
        Answer = request =>
        {
            if (seen++ != at)
            {
                return server.Answer(request);
            }

            switch (manners)
            {
                case Manners.ShrinksOnTheWay:
                    server.MaxSizeExponent = random.Next(server.MaxSizeExponent + 1);
                    break;
                case Manners.LosesTheBody:
                    return Reply(CoapCode.RequestEntityIncomplete);
                case Manners.TooLarge:
                    return Reply(CoapCode.RequestEntityTooLarge, random.Next(2) == 0 ? "0/0/16" : null);
                case Manners.Fails:
                    return Reply(random.Next(2) == 0 ? CoapCode.InternalServerError : CoapCode.ServiceUnavailable,
                        random.Next(2) == 0 ? "0/1/16" : null, random.Next(2) == 0 ? "0/1/16" : null);
                case Manners.Changes:
                    server.Body = changed;
                    server.ETag = [2];
                    break;
                case Manners.AnswersNonsense:
                    return Reply(
                        random.Next(2) == 0 ? CoapCode.Content : CoapCode.Continue,
                        $"{random.Next(20)}/{random.Next(2)}/{16 << random.Next(7)}",
                        $"{random.Next(20)}/{random.Next(2)}/{16 << random.Next(7)}",
                        Bytes(random.Next(1025)));
                default:
                    break;
            }

            return server.Answer(request);
        };
        byte[] sent = Bytes(random.Next(6000), random.Next());
        int? size = random.Next(3) == 0 ? 16 << random.Next(7) : null;
        CoapMethod method = random.Next(3) switch { 0 => CoapMethod.Get, 1 => CoapMethod.Put, _ => CoapMethod.Post };
        CoapRequest request = new(method, "coap://192.0.2.1/" + random.Next())
        {
            BlockSize = size,
            Content = method == CoapMethod.Get ? null : random.Next(2) == 0 ? CoapContent.Binary(sent)
                : CoapContent.Stream(new MemoryStream(sent)),
        };
        MemoryStream? destination = random.Next(3) == 0 ? new MemoryStream() : null;
        request.Destination = destination;
        CoapResponse response;
        try
        {
            response = await Within(Client.SendAsync(request));
        }
        catch (CoapProtocolException)
        {
            Assert.True(manners is Manners.AnswersNonsense or Manners.Changes, manners.ToString());
            return false;
        }

        if (!response.IsSuccess || (manners == Manners.AnswersNonsense && seen > at))
        {
            Assert.True(manners is Manners.Fails or Manners.LosesTheBody or Manners.TooLarge or Manners.AnswersNonsense or Manners.Changes,
                $"{manners} {response}");
            return false;
        }

        if (method != CoapMethod.Get && sent.Length > 0)
        {
            Assert.Equal(sent, server.Stored[^1]);
        }

        if (method != CoapMethod.Put)
        {
            byte[] got = destination?.ToArray() ?? response.Payload.ToArray();
            Assert.True(got.AsSpan().SequenceEqual(original) || got.AsSpan().SequenceEqual(changed), "The body is a mixture.");
        }

        return true;
    }
}
