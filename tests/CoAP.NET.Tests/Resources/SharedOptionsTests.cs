using CoAP.NET.Options;

namespace CoAP.NET.Tests.Resources;

public class SharedOptionsTests
{
    [Fact]
    public void Results_of_one_registered_format_share_their_options_until_somebody_asks_for_them()
    {
        CoapResult first = CoapResults.Text("a");
        CoapResult second = CoapResults.Text("b");
        Assert.Same(first.OptionsToRead, second.OptionsToRead);
        CoapOptionCollection own = first.Options;
        Assert.NotSame(own, second.OptionsToRead);
        Assert.Same(own, first.Options);
        Assert.Same(own, first.OptionsToRead);
        own.AddUInt(OptionNumber.MaxAge, 7);
        Assert.Single(second.OptionsToRead!);
        Assert.Single(CoapResults.Text("c").Options);
        Assert.Equal(CoapContentFormat.TextPlain, first.Options.ContentFormat);
    }

    [Fact]
    public void Refining_a_result_leaves_later_ones_of_its_format_as_they_are()
    {
        CoapResult refined = CoapResults.Text("a").WithMaxAge(TimeSpan.FromSeconds(5)).With(new ETag([1]));
        refined.Options.Remove(OptionNumber.ContentFormat);
        CoapResult later = CoapResults.Text("a");
        Assert.Equal(CoapContentFormat.TextPlain, later.Options.ContentFormat);
        Assert.Single(later.Options);
        Assert.Equal(2, refined.Options.Count);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(50)]
    [InlineData(11542)]
    [InlineData(65000)]
    public void Result_has_the_format_it_was_made_with(int number)
    {
        CoapResult result = CoapResults.Bytes(new byte[] { 1 }, new CoapContentFormat((ushort)number));
        Assert.True(result.OptionsToRead!.TryGetUInt(OptionNumber.ContentFormat, out uint read));
        Assert.Equal((uint)number, read);
        Assert.Equal(number != 65000, result.OptionsToRead.IsShared);
        Assert.False(result.Options.IsShared);
    }

    [Fact]
    public void Result_of_a_registered_format_takes_one_object()
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
    public void Option_without_a_value_takes_no_array_of_bytes_and_others_after_it_are_right()
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
    public void Received_request_takes_no_room_for_what_only_requests_to_send_have()
    {
        CoapMessage message = new(CoapMethod.Get);
        long least = Allocations.Least(() =>
        {
            for (int i = 0; i < 1000; i++)
            {
                _ = new CoapRequest(message);
            }
        });

        Assert.InRange(least / 1000.0, 0, 64);
    }
}
