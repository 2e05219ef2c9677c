using CoAP.NET.Options;

namespace CoAP.NET.Tests.Options;

/// <summary>Options that are read-only can be shared: every change throws, and a copy can be changed.</summary>
public sealed class ReadOnlyOptionsTests
{
    public static TheoryData<string> ChangeNames => [.. Changes.Keys];

    private static Dictionary<string, Action<CoapOptionCollection>> Changes { get; } = new()
    {
        ["Add"] = static options => options.Add(new UriPathOption("b")),
        ["Add bytes"] = static options => options.Add(65_000, [1]),
        ["Add nothing"] = static options => options.Add(65_000, []),
        ["AddUInt"] = static options => options.AddUInt(65_000, 1),
        ["AddRange"] = static options => options.AddRange([new UriPathOption("b")]),
        ["AddAll"] = static options => options.AddAll(new CoapOptionCollection().Add(65_000, [])),
        ["AddAll itself"] = static options => options.AddAll(options),
        ["Set"] = static options => options.Set(new UriPathOption("b")),
        ["Remove"] = static options => options.Remove(OptionNumber.UriPath),
        ["Remove what is not there"] = static options => options.Remove(65_000),
        ["RemoveAt"] = static options => options.RemoveAt(0),
        ["Clear"] = static options => options.Clear(),
        ["a property"] = static options => options.Accept = CoapContentFormat.Json,
        ["a property of a tag"] = static options => options.ETag = new CoapETag([1]),
        ["a property without a value"] = static options => options.MaxAge = null,
        ["IfNoneMatch"] = static options => options.IfNoneMatch = false,
        ["the code"] = static options => options.Code = CoapCode.Put,
        ["MoveDown"] = static options => options.MoveDown(1, 0),
    };

    [Theory]
    [MemberData(nameof(ChangeNames))]
    public void Every_change_of_a_read_only_collection_throws_and_changes_nothing(string name)
    {
        CoapOptionCollection options = new CoapOptionCollection().Add(new UriPathOption("a")).Add(new AcceptOption(CoapContentFormat.Cbor));
        string before = options.ToString();
        Assert.False(options.IsReadOnly);
        Assert.Same(options, options.MakeReadOnly());
        Assert.True(options.IsReadOnly);

        Assert.Throws<InvalidOperationException>(() => Changes[name](options)).Mentions("options.Clone()");
        Assert.Equal(before, options.ToString());
    }

    [Fact]
    public void A_copy_of_a_read_only_collection_or_message_can_be_changed()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.Without(OptionNumber.Echo);
        CoapMessage message = new(CoapCode.Ping, registry);
        message.Options.Add(new CustodyOption()).MakeReadOnly();

        CoapOptionCollection copy = message.Options.Clone();
        Assert.Same(registry, copy.Registry);
        Assert.Equal("Custody", copy.ToString());
        copy.Clear();
        message.Clone().Options.Clear();
        Assert.Single(message.Options);
        Assert.Throws<InvalidOperationException>(() => message.Code = CoapCode.Get);
    }

    [Fact]
    public void Read_only_options_are_read_and_sent_like_other_options()
    {
        CoapMessage message = new(CoapCode.Get);
        message.Options.Add(new UriPathOption("a")).MakeReadOnly();
        Assert.Equal("40010000b161", Wire.Hex(CoapDatagramSerializer.Default.Serialize(message)));
        Assert.Equal("a", message.Options.Get<UriPathOption>()!.Value);
        Assert.Equal(["a"], message.Options.UriPath);
    }

    [Fact]
    public void Options_that_all_users_of_a_URI_share_are_read_only()
    {
        Assert.True(CoapUri.Parse("coap://192.0.2.1/a").ResourceOptions.IsReadOnly);
    }
}
