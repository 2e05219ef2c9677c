namespace CoAP.NET.Tests.Blockwise;

/// <summary>Routes whose handler runs for each block (RFC 7959 section 2.5, figure 8).</summary>
public sealed class StatelessTests : BlockwiseTest
{
    [Fact]
    [Rfc("7959-2.3-1")]
    public async Task WithBodyInBlocks_runs_the_handler_for_each_block_in_any_order()
    {
        byte[] flash = new byte[300];
        Server.MapPut("/firmware", request =>
        {
            request.Payload.CopyTo(flash.AsMemory((int)request.Block1!.Value.ByteOffset));
            return CoapResults.Changed();
        }).WithBodyInBlocks();
        await StartAsync();
        byte[] body = Body(300);
        foreach ((int offset, string answered) in new[] { (0, "03"), (256, "23"), (128, "13") })
        {
            CoapMessage answer = Block(CoapMethod.Put, "firmware", body, offset, 128);
            Assert.Equal((CoapCode.Changed, answered), (answer.Code, answer.Options.Block1!.Value.Hex()));
        }

        Assert.Equal(body, flash);
        Assert.Equal(0, Bodies.Count);
        Send(Message(CoapMethod.Put, "firmware", options => options.Block1 = new BlockValue(0, true, 3), Body(100)))
            .Gives(CoapCode.BadRequest);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_block_beyond_the_bound_of_the_route_is_answered_4_13()
    {
        Server.MapGroup("/all").WithMaxBodySize(256).MapPut("/x", () => CoapResults.Changed()).WithBodyInBlocks();
        await StartAsync();
        Block(CoapMethod.Put, "all/x", Body(300), 128, 128).Gives(CoapCode.Changed);
        CoapMessage answer = Block(CoapMethod.Put, "all/x", Body(300), 256, 128);
        Assert.Equal((CoapCode.RequestEntityTooLarge, 256u), (answer.Code, answer.Options.Size1));
    }

    [Fact]
    public async Task A_handler_of_single_blocks_may_answer_2_31_until_the_last_block()
    {
        Server.MapPut("/x", request => request.Block1 is { More: true } ? CoapResults.Status(CoapCode.Continue) : CoapResults.Changed())
            .WithBodyInBlocks();
        await StartAsync();
        Assert.Equal((CoapCode.Continue, "0b"), Answer(0));
        Assert.Equal((CoapCode.Continue, "1b"), Answer(128));
        Assert.Equal((CoapCode.Changed, "23"), Answer(256));

        (CoapCode, string) Answer(int offset)
        {
            CoapMessage answer = Block(CoapMethod.Put, "x", Body(300), offset, 128);
            return (answer.Code, answer.Options.Block1!.Value.Hex());
        }
    }

    [Fact]
    public void The_bound_of_a_route_has_a_range()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => Server.Routes.WithMaxBodySize(0));
        Assert.Throws<ArgumentOutOfRangeException>(() => Server.Routes.WithMaxBodySize((1L << 30) + 1));
        Server.Routes.WithMaxBodySize(1L << 30).WithWholeBody();
    }
}
