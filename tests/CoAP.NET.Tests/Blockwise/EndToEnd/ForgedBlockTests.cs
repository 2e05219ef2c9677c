namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>A server against peers that are not as they should be, or not as this library's client: written by hand.</summary>
public sealed class ForgedBlockTests : BlockwiseTest
{
    private static readonly CoapAddress s_stranger = CoapAddress.FromIPv4(0xcb007105, 5683);

    [Fact]
    [Rfc("8132-2.2-1", "7959-2.7-1")]
    public async Task A_FETCH_for_a_later_block_without_the_payload_gets_the_rest_of_the_response()
    {
        int runs = 0;
        Server.MapFetch("/f", request =>
        {
            runs++;
            return CoapResults.Bytes(Body(200, request.Payload.Length));
        });
        await StartAsync();
        CoapMessage Fetch(int length, int? number, CoapAddress? peer = null) => Send(Message(CoapMethod.Fetch, "f", options =>
        {
            options.ContentFormat = CoapContentFormat.Json;
            options.Block2 = number is { } wanted ? new BlockValue(wanted, false, 2) : null;
        }, Body(length)), peer);
        Fetch(10, 0);
        Assert.Equal(Body(200, 10)[64..128], Fetch(0, 1).Payload.ToArray());

        // The last one that was asked; its tag says so. And nobody else's.
        Fetch(20, 0);
        Assert.Equal(Body(200, 20)[128..192], Fetch(0, 2).Payload.ToArray());
        Assert.Equal(Body(200, 10)[128..192], Fetch(10, 2).Payload.ToArray());
        Fetch(0, 1, Other).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Equal(2, runs);
        AssertAllFreed();
        Fetch(0, 1).Gives(CoapCode.RequestEntityIncomplete);
    }

    [Theory]
    [InlineData(20, 200)]
    [InlineData(70, 200)]
    [InlineData(90, 200)]
    [InlineData(90, 250)]
    [InlineData(90, 1500)]
    [Rfc("9175-2.4-1", "7959-2.4-7")]
    public async Task An_unverified_peer_gets_a_complete_body_of_one_handler_run_despite_the_amplification_limit(int location, int length)
    {
        int runs = 0;
        Options.Limits.Amplification.SourceBytesPerMinute = 0;
        Server.MapPost("/x", () =>
        {
            runs++;
            return new CoapResult(CoapCode.Created, Body(length)).WithLocation("/" + new string('l', location));
        });
        await StartAsync();
        MemoryStream body = new();
        CoapMessage answer = Send(Message(CoapMethod.Post, "x"), s_stranger);
        byte[] echo = [];
        for (int i = 0; i < 200; i++)
        {
            if (answer.Code == CoapCode.Unauthorized)
            {
                echo = answer.Options.Echo!.Value.ToArray();
            }
            else
            {
                Assert.Equal(CoapCode.Created, answer.Code);
                BlockValue block = answer.Options.Block2!.Value;
                Assert.Equal(body.Length, block.ByteOffset);
                Assert.True(block.More ? answer.Payload.Length == block.Size : !answer.Payload.IsEmpty);
                body.Write(answer.Payload.Span);
                if (!block.More)
                {
                    break;
                }
            }

            answer = Send(Message(CoapMethod.Post, "x", options =>
            {
                options.Block2 = BlockValue.FromOffset(body.Length, false, body.Length % 64 == 0 ? 2 : body.Length % 32 == 0 ? 1 : 0);
                if (echo.Length > 0)
                {
                    options.Echo = echo;
                }
            }), s_stranger);
            echo = [];
        }

        Assert.Equal(Body(length), body.ToArray());
        Assert.Equal(1, runs);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-7.1-1", "7959-2.5-8")]
    public async Task A_flood_of_incomplete_bodies_uses_bounded_memory_and_an_upload_in_progress_completes()
    {
        const long Max = 256 * 1024;
        Options.Limits.Blockwise.RequestMemory = Max;
        byte[]? taken = null;
        Server.MapPut("/x", request =>
        {
            taken = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        Server.MapPut("/stream", async (CoapRequestContext request) =>
        {
            await request.BodyReader.CopyToAsync(Stream.Null).ConfigureAwait(false);
            return CoapResults.Changed();
        }).WithStreamedBody();
        await StartAsync();
        byte[] body = Body(4096);
        uint next = 0;

        // Each address is seen a second time, so that it is no newcomer any more: to forge that takes no more than patience.
        void Flood(int count)
        {
            for (int i = 0; i < count; i++)
            {
                TrySend(Half(next++), Forged(next));
                Assert.InRange(Memory.Requests.Used, 0, Max);
            }
        }

        CoapMessage Half(uint number) =>
            Message(CoapMethod.Put, number % 3 == 0 ? "stream" : "x", options => options.Block1 = new BlockValue(0, true, 6), Body(1024));
        static CoapAddress Forged(uint number) => CoapAddress.FromIPv4(0x0a000000 + number, 5683);
        Flood(1000);
        Clock.Advance(FromSeconds(3));
        next = 0;
        Flood(1000);

        // They have a quarter together, beside that of newcomers, and leave the rest to peers whose addresses cannot be forged.
        Assert.InRange(Memory.Requests.Used, Max / 4, Max / 2);
        Block(CoapMethod.Put, "x", body, 0, 1024).Gives(CoapCode.Continue);

        // It begins anew.
        Clock.Advance(FromSeconds(9));
        for (int offset = 0; offset < 3072; offset += 1024)
        {
            Block(CoapMethod.Put, "x", body, offset, 1024).Gives(CoapCode.Continue);
            Flood(300);
            Clock.Advance(FromSeconds(3));
        }

        Block(CoapMethod.Put, "x", body, 3072, 1024).Gives(CoapCode.Changed);
        Assert.Equal(body, taken);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.9.2-1", "7959-2.5-4")]
    public async Task Forged_blocks_with_random_numbers_leave_nothing_behind_and_do_not_affect_an_upload()
    {
        byte[]? taken = null;
        Server.MapPut("/x", request =>
        {
            taken = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        await StartAsync();
        Random random = new(5);
        byte[] body = Body(64 * 20);
        int offset = 0;
        for (int i = 0; i < 5000; i++)
        {
            // Of other ports of the same host too; never of the peer itself, whose datagrams nobody can tell from its own.
            int exponent = random.Next(7);
            bool more = random.Next(4) > 0;
            CoapAddress forger = CoapAddress.FromIPv4(random.Next(2) == 0 ? 0xc0000201 : (uint)random.Next(),
                (ushort)random.Next(1, 40_000));
            CoapMessage? refused = TrySend(
                Message(CoapMethod.Put, "x", options =>
                {
                    options.Block1 = new BlockValue(random.Next(1, BlockValue.MaxNumber + 1), more, exponent);
                    options.Size1 = uint.MaxValue;
                }, new byte[16 << exponent]),
                forger);
            Assert.True(refused!.Code.IsError, refused.ToString());
            if (i % 250 == 0)
            {
                Assert.True(Block(CoapMethod.Put, "x", body, offset, 64).Code.IsSuccess);
                offset += 64;
                Assert.Equal(offset == body.Length ? 0 : 1, Bodies.Count);
            }
        }

        Assert.Equal(body, taken);
        AssertAllFreed();
    }
}
