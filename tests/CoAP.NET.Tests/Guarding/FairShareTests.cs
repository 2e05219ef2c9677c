namespace CoAP.NET.Tests.Guarding;

/// <summary>What a source may hold of something that others need too, and who gives way.</summary>
public sealed class FairShareTests
{
    [Fact]
    public void The_first_source_gets_half_of_the_places_and_each_later_source_gets_fewer()
    {
        SourceQuota quota = new(100);

        Assert.Equal([51, 19, 9], Enumerable.Range(1, 3).Select(source => Fill(quota, source)));
        Assert.True(quota.TryEnter(Source(9)));
        Assert.Equal(80, quota.Count);
    }

    [Theory]
    [InlineData(100, 14)]
    [InlineData(1000, 44)]
    [InlineData(10_000, 135)]
    public void Taking_all_places_needs_many_sources(int places, int sources)
    {
        SourceQuota quota = new(places);
        int count = 0;
        while (quota.Count < places)
        {
            Assert.InRange(Fill(quota, count), 1, (places / 2) + 1);
            count++;
        }

        Assert.Equal(sources, count);
        Assert.False(quota.HasCapacity(Source(count)));
    }

    [Fact]
    public void Each_source_gets_a_first_place_until_all_places_are_taken()
    {
        SourceQuota quota = new(20);
        for (int source = 0; source < 20; source++)
        {
            Assert.True(quota.TryEnter(Source(source)));
        }

        Assert.False(quota.TryEnter(Source(20)));
    }

    [Fact]
    public void A_source_never_holds_more_than_its_own_maximum()
    {
        SourceQuota quota = new(100, maxOfSource: 3);
        Assert.Equal(3, Fill(quota, 1));
        Assert.Equal(3, quota.CountOf(Source(1)));
        quota.Exit(Source(1));
        Assert.Equal(1, Fill(quota, 1));
    }

    [Fact]
    public void Places_that_were_never_taken_cannot_be_returned()
    {
        SourceQuota quota = new(10);
        quota.TryEnter(Source(1));
        Assert.Throws<InvalidOperationException>(() => quota.Exit(Source(2)));
        quota.Exit(Source(1));
        Assert.Throws<InvalidOperationException>(() => quota.Exit(Source(1)));
        Assert.Equal(0, quota.Count);
    }

    [Fact]
    public void A_source_of_bytes_gets_at_most_half_of_the_bytes_that_are_free()
    {
        SourceLedger<string> ledger = new(max: 1000);
        Assert.True(ledger.TryTake("large", 600));
        Assert.False(ledger.TryTake("other", 400));
        Assert.True(ledger.TryTake("other", 300));
        Assert.False(ledger.TryTake("other"));
        Assert.True(ledger.TryTake("small", 20));
        Assert.Equal((920L, 3, 600L), (ledger.Total, ledger.Sources, ledger.FindMost()));
        ledger.Return("large", 600);
        Assert.Throws<InvalidOperationException>(() => ledger.Return("other", 301));
        Assert.Equal((320L, 2, 300L), (ledger.Total, ledger.Sources, ledger.FindMost()));
    }

    [Fact]
    public void Two_sources_do_not_displace_each_other_alternately()
    {
        SourceUsage<string> ledger = new();
        for (int i = 0; i < 5; i++)
        {
            ledger.Set(new("entry", Source(1)), 1);
        }

        int displaced = 0;
        for (int turn = 0; turn < 100; turn++)
        {
            CoapQuotaSource asking = Source(turn % 2 == 0 ? 2 : 1);
            if (ledger.FindToGiveWay(asking) is { } source)
            {
                ledger.Set(source.First!, 0);
                ledger.Set(new("entry", asking), 1);
                displaced++;
            }
        }

        Assert.Equal((2, 3L, 2L), (displaced, ledger.AmountOf(Source(1)), ledger.AmountOf(Source(2))));
    }

    private static int Fill(SourceQuota quota, int source)
    {
        int count = 0;
        while (quota.TryEnter(Source(source)))
        {
            count++;
        }

        return count;
    }

    private static CoapQuotaSource Source(int host) =>
        CoapSourceGroupingRule.Default.Of(CoapAddress.FromIPv4(0xc000_0000 + (uint)host, 5683));
}
