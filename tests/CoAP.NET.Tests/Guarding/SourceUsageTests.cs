using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Guarding;

/// <summary>Who holds most, and what of it stands still longest.</summary>
public sealed class SourceUsageTests
{
    private readonly SourceUsage<string> _ledger = new();

    [Fact]
    public void Ports_and_interface_identifiers_do_not_separate_sources()
    {
        SourceUsage<string>.UsageEntry[] ofOne = [Hold("2001:db8::1", 1, 5), Hold("2001:db8::2", 2, 5)];
        Hold("192.0.2.1", 1, 9);
        Hold("192.0.2.2", 1, 9);

        Assert.Same(ofOne[0].Source, ofOne[1].Source);
        Assert.Equal(10, _ledger.Greediest!.Amount);
        Assert.Equal(2, _ledger.Greediest.Count);
        Assert.Equal(28, _ledger.Total);
        Assert.Null(_ledger.Find(Source("192.0.2.3", 1)));
    }

    [Fact]
    public void The_holding_idle_longest_is_first()
    {
        SourceUsage<string>.UsageEntry[] holdings = [Hold("192.0.2.1", 1, 5), Hold("192.0.2.1", 2, 5), Hold("192.0.2.1", 3, 5)];
        SourceUsage<string>.Touch(holdings[0]);
        Assert.Same(holdings[1], _ledger.Greediest!.First);
        SourceUsage<string>.Touch(holdings[1]);
        Assert.Same(holdings[2], _ledger.Greediest.First);
        _ledger.Set(holdings[2], 0);
        Assert.Same(holdings[0], _ledger.Greediest.First);
    }

    [Fact]
    public void The_first_of_equally_greedy_sources_is_the_one_least_recently_passed()
    {
        SourceUsage<string>.UsageEntry first = Hold("192.0.2.1", 1, 5);
        SourceUsage<string>.UsageEntry second = Hold("192.0.2.2", 1, 5);
        Assert.Same(first.Source, _ledger.Greediest);
        _ledger.Pass(first.Source!);
        Assert.Same(second.Source, _ledger.Greediest);
    }

    [Fact]
    public void A_holding_set_to_zero_is_removed()
    {
        SourceUsage<string>.UsageEntry holding = Hold("192.0.2.1", 1, 5);
        _ledger.Set(holding, 0);
        Assert.Null(_ledger.Greediest);
        Assert.Null(holding.Source);
        Assert.Equal(0, _ledger.Total);
        _ledger.Set(holding, 3);
        Assert.Same(holding, _ledger.Greediest!.First);
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public void The_greediest_source_is_always_the_source_that_holds_most()
    {
        Random random = new(Campaign.Seed);
        SourceUsage<string>.UsageEntry[] all = [
            .. Enumerable.Range(0, 200).Select(i => new SourceUsage<string>.UsageEntry($"{i}", Source($"192.0.2.{i % 40}", (ushort)i)))];
        for (int i = 0; i < Campaign.Rounds(20_000); i++)
        {
            SourceUsage<string>.UsageEntry one = all[random.Next(all.Length)];
            if (random.Next(4) == 0)
            {
                SourceUsage<string>.Touch(one);
            }
            else
            {
                _ledger.Set(one, random.Next(5));
            }

            var sums = all.GroupBy(static holding => holding.Key).Select(static group => group.Sum(static holding => holding.Amount))
                .ToList();
            Assert.Equal(sums.Sum(), _ledger.Total);
            Assert.Equal(sums.Max(), _ledger.Greediest?.Amount ?? 0);
        }
    }

    private static CoapQuotaSource Source(string address, ushort port) =>
        CoapSourceGroupingRule.Default.Of(CoapAddress.Of(System.Net.IPAddress.Parse(address), port));

    private SourceUsage<string>.UsageEntry Hold(string address, ushort port, long amount)
    {
        SourceUsage<string>.UsageEntry holding = new(address, Source(address, port));
        _ledger.Set(holding, amount);
        return holding;
    }
}
