using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Resources;

public class SharedOptionsTests
{
    [Fact]
    public void Results_of_the_same_registered_format_share_their_options()
    {
        CoapResult first = CoapResults.Text("a");
        CoapResult second = CoapResults.Text("b");
        Assert.Same(first.Options, second.Options);
        first.OwnOptions.AddUInt(OptionNumber.MaxAge, 7);
        Assert.Equal(2, first.Options.Count);
        Assert.Single(second.Options);
        Assert.Single(CoapResults.Text("c").Options);
        Assert.Equal(CoapContentFormat.TextPlain, first.Options.ContentFormat);
    }

    [Fact]
    public void Refining_a_result_does_not_change_the_original()
    {
        CoapResult first = CoapResults.Text("a");
        CoapETag tag = CoapETag.FromVersion(1);
        CoapResult[] refined =
        [
            first.WithMaxAge(FromSeconds(5)), first.WithETag(tag), first.WithEcho(), first.WithLocation("/a?b"),
            first.WithAnswerToGroup(), first.WithDeclinedObserver(), first.With(new Size2Option(1)),
        ];
        Assert.All(refined, result =>
        {
            Assert.NotSame(first, result);
            Assert.Equal(first.Payload, result.Payload);
            Assert.Equal(CoapContentFormat.TextPlain, result.Options.ContentFormat);
        });
        Assert.Equal((FromSeconds(5), tag, 1u), (refined[0].Options.MaxAge, refined[1].Options.ETag, refined[6].Options.Size2));
        Assert.Equal((true, true, true), (refined[2].BringsEcho, refined[4].AnswersGroup, refined[5].DeclinesObserver));
        Assert.Single(first.Options);
        Assert.Equal((false, null, false), (first.BringsEcho, first.AnswersGroup, first.DeclinesObserver));
    }

    [Fact]
    public void A_refined_text_result_still_gets_the_success_code_of_the_method()
    {
        CoapResult text = "a";
        Assert.Equal(CoapCode.Changed, text.WithMaxAge(FromSeconds(5)).AnswerTo(CoapCode.Put).Code);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(50)]
    [InlineData(11542)]
    [InlineData(65000)]
    public void A_result_has_the_Content_Format_with_which_it_was_created(int number)
    {
        CoapResult result = CoapResults.Bytes(new byte[] { 1 }, new CoapContentFormat((ushort)number));
        Assert.True(result.OptionsToRead!.TryGetUInt(OptionNumber.ContentFormat, out uint read));
        Assert.Equal((uint)number, read);
        Assert.Equal(number != 65000, result.OptionsToRead.IsReadOnly);
        Assert.True(result.Options.IsReadOnly);
    }

    [Fact]
    public void A_result_with_a_registered_format_allocates_only_the_result_object()
    {
        byte[] payload = [1, 2, 3];
        long least = Allocations.Least(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                _ = new CoapResult(CoapCode.Content, payload, CoapContentFormat.TextPlain);
            }
        });

        // 56 B the result; options of its own took 208 B more.
        Assert.InRange(least / 1000.0, 0, 64);
    }

    [Fact]
    public void An_empty_option_value_allocates_no_array_and_following_options_are_right()
    {
        CoapOptionCollection options = new();
        options.Add(OptionNumber.IfNoneMatch, default);
        options.AddUInt(OptionNumber.ContentFormat, 0);
        Assert.Equal(0, options.ValueAt(0).Length);
        options.Add(OptionNumber.ETag, [1, 2]);
        Assert.True(options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> value));
        Assert.Equal([1, 2], value.ToArray());
        Assert.True(options.IfNoneMatch);
        Assert.Equal(CoapContentFormat.TextPlain, options.ContentFormat);
    }

    [Fact]
    public void A_received_request_allocates_no_memory_for_members_of_requests_to_send()
    {
        CoapMessage message = new(CoapMethod.Get);
        long least = Allocations.Least(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                _ = ReceivedRequest.Of(message);
            }
        });

        Assert.InRange(least / 1000.0, 0, 64);
    }
}
