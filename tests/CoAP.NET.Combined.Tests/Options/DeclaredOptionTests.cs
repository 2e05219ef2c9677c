using CoAP.NET.Blockwise.Server;
using CoAP.NET.Options;
using CoAP.NET.Tests.Caching;

namespace CoAP.NET.Tests.Options;

/// <summary>What the definition of a user's option declares is done in each place where the library acts on options.</summary>
public sealed class DeclaredOptionTests
{
    private const int Elective = 65_000;
    private const int Critical = 65_001;

    [Fact]
    public void An_invalid_value_of_an_elective_option_is_removed()
    {
        CoapMessage message = Message(SmallOnly(Elective), "09");
        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Empty(message.Options);

        message = Message(SmallOnly(Elective), "07");
        Assert.True(OptionRules.Check(message).IsAccepted);
        Assert.Single(message.Options);
    }

    [Theory]
    [InlineData(Critical, false, "09", "4.00 Bad Request", "must be 0 to 8")]
    [InlineData(Critical, false, "0000000000", "4.02 Bad Option", "illegal length")]
    [InlineData(Critical, true, "0000000000", "4.00 Bad Request", "must be 0 to 8")]
    [InlineData(Elective, true, "09", "4.00 Bad Request", "must be 0 to 8")]
    [InlineData(Elective, true, "", "4.00 Bad Request", "must be 0 to 8")]
    public void An_invalid_value_of_a_critical_or_refusing_option_is_refused(
        int number, bool refuses, string value, string code, string why)
    {
        CoapMessage message = Message(SmallOnly(number, refuses), value);
        foreach (bool isForwarded in new[] { false, true })
        {
            OptionVerdict verdict = OptionRules.Check(message, isForwarded: isForwarded);
            if (isForwarded && code.StartsWith("4.02", Ordinal))
            {
                // The server behind the proxy knows better.
                Assert.True(verdict.IsAccepted);
                continue;
            }

            Assert.Equal(code, $"{verdict.ResponseCode}");
            string text = verdict.Describe(message.Options.Registry);
            text.Begins($"Option {number} (Mine)");
            text.Mentions(why);
        }
    }

    [Fact]
    public void An_option_restricted_to_a_method_is_not_defined_for_requests_of_other_methods()
    {
        OptionDefinition definition = new(Critical, "Mine", OptionFormat.Opaque, 1, 4) { Methods = [CoapCode.Put] };
        Assert.True(OptionRules.Check(Message(definition, "01", CoapCode.Put)).IsAccepted);
        Assert.True(OptionRules.Check(Message(definition, "01", CoapCode.Content)).IsAccepted);
        Assert.Equal(OptionFault.NotDefinedHere, OptionRules.Check(Message(definition, "01")).Fault);
    }

    [Fact]
    public void A_repeatable_option_with_IsSingleInResponse_may_occur_only_once_in_a_response()
    {
        OptionDefinition definition = new(Critical, "Mine", OptionFormat.Opaque, 1, 4, isRepeatable: true) { IsSingleInResponse = true };
        CoapMessage request = Message(definition, "01");
        CoapMessage response = Message(definition, "01", CoapCode.Content);
        request.Options.Add(Critical, [2]);
        response.Options.Add(Critical, [2]);
        Assert.True(OptionRules.Check(request).IsAccepted);
        Assert.Equal(OptionFault.Repeated, OptionRules.Check(response).Fault);
    }

    [Theory]
    [InlineData(Elective, null, false)]
    [InlineData(Elective, false, true)]
    [InlineData(0xfdfc, null, true)]
    [InlineData(0xfdfc, true, false)]
    public void IsInBodyKey_decides_whether_the_blocks_of_a_body_may_differ_in_an_option(int number, bool? isInKey, bool mayDiffer)
    {
        OptionDefinition definition = new(number, "Mine", OptionFormat.Opaque, 1, 4) { IsInBodyKey = isInKey };
        CoapChannel channel = CachedPeers.Channel(CachedPeers.Server);
        TransferKey first = TransferKey.Of(channel, Message(definition, "01", CoapCode.Put));
        Assert.Equal(mayDiffer, first.Equals(TransferKey.Of(channel, Message(definition, "02", CoapCode.Put))));
        Assert.Equal(first, TransferKey.Of(channel, Message(definition, "01", CoapCode.Put)));
    }

    [Fact]
    public void A_replaced_definition_keeps_the_library_behavior_for_everything_that_it_does_not_declare()
    {
        OptionDefinition mine = new(OptionNumber.HopLimit, "My-Hops", OptionFormat.UInt, 1, 2, use: OptionApplicability.Request)
        {
            ForwardingInRequest = OptionForwarding.Forward,
        };
        CoapOptionRegistry registry = DeclaredOption.Register(mine);
        Assert.Equal(OptionForwarding.Forward, registry.ForwardingInRequest(OptionNumber.HopLimit));
        Assert.Equal(OptionForwarding.Consume, registry.ForwardingInResponse(OptionNumber.HopLimit));
        Assert.False(registry.IsInCacheKey(OptionNumber.HopLimit));
        Assert.False(registry.IsInBodyKey(OptionNumber.HopLimit));
        CoapMessage message = Message(mine, "00");
        Assert.Equal("Option 16 (My-Hops) must be 1 to 255.", OptionRules.Check(message).Describe(message.Options.Registry));

        // The parts of this library that act on an option find it by its number.
        OptionDefinition observe = new(OptionNumber.Observe, "My-Observe", OptionFormat.UInt, 0, 3);
        Assert.Equal(RequestOptionFlags.Observe, OptionRules.Check(Message(observe, "00")).Special);
        Assert.Equal(OptionCachingInRequests.StoreOnly, DeclaredOption.Register(observe).CachingOf(OptionNumber.Observe));
    }

    [Fact]
    public void An_option_without_a_definition_is_treated_by_the_bits_of_its_number()
    {
        CoapOptionRegistry registry = CoapOptionRegistry.Default.Without(OptionNumber.HopLimit);
        Assert.Equal(OptionForwarding.Forward, registry.ForwardingInRequest(OptionNumber.HopLimit));
        Assert.True(registry.IsInCacheKey(OptionNumber.HopLimit));
    }

    [Fact]
    public void Checking_the_rules_that_an_option_declares_allocates_nothing()
    {
        CoapMessage message = Message(SmallOnly(Elective), "07");
        message.Options.Add(new HopLimitOption(3)).Add(new UriPathOption("a")).Add(65_500, [1]);
        Assert.Equal(0, Allocations.Least(() => OptionRules.Check(message)));
    }

    private static OptionDefinition SmallOnly(int number, bool refuses = false) => new(number, "Mine", OptionFormat.Opaque, 1, 4)
    {
        IsValid = static data => data.Value[0] <= 8,
        ValidValues = "0 to 8",
        RefusesInvalid = refuses,
    };

    private static CoapMessage Message(OptionDefinition definition, string value, CoapCode? code = null)
    {
        CoapMessage message = new(code ?? CoapCode.Get, DeclaredOption.Register(definition));
        message.Options.Add(definition.Number, Wire.Hex(value));
        return message;
    }
}
