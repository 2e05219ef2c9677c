using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Who has most, and what of it is evicted, against a count by hand.</summary>
public class CompactSourceUsageTests
{
    [Theory]
    [InlineData(6)]
    [InlineData(500)]
    public void The_source_with_the_most_members_and_its_least_recent_member_are_found_after_random_changes(int sources)
    {
        Random random = new(7);
        CompactSourceUsage<string> shares = new();
        List<One> all = [];
        for (int step = 0; step < 6_000; step++)
        {
            int act = random.Next(100);
            if (all.Count == 0 || act < (step / 1_000 % 2 == 0 ? 55 : 25))
            {
                One added = new((ulong)random.Next(sources), $"{step}", random.Next(1, 50));
                added.Number = shares.Add(added.Source, added.Name, added.Amount);
                all.Add(added);
            }
            else
            {
                // The list is in the order in which they moved.
                One one = all[random.Next(all.Count)];
                if (act < 70)
                {
                    shares.Remove(one.Number);
                    all.Remove(one);
                }
                else if (act < 85)
                {
                    one.Amount = random.Next(0, 50);
                    shares.Set(one.Number, one.Amount);
                }
                else
                {
                    shares.Touch(one.Number);
                    all.Remove(one);
                    all.Add(one);
                }
            }

            Assert.Equal((all.Count(one => one.Amount > 0), all.Sum(one => one.Amount)), (shares.Count, shares.Total));
            ulong some = (ulong)random.Next(sources);
            One[] own = [.. all.Where(one => one.Source == some)];
            Assert.Equal((own.Count(one => one.Amount > 0), own.Sum(one => one.Amount)), shares.Of(some));
            if (step % 20 == 0)
            {
                CheckRoom(shares, all, some, random.Next(1, 100));
            }
        }

        all.ForEach(one => shares.Remove(one.Number));
        Assert.Equal((0, 0L, 0), (shares.Count, shares.Total, shares.Sources));
    }

    [Fact]
    public void Two_sources_never_evict_each_other_alternately()
    {
        CompactSourceUsage<string> shares = new();
        for (int i = 0; i < 10; i++)
        {
            shares.Add(1, $"first {i}", 10);
        }

        for (int i = 0; i < 5; i++)
        {
            int gives = shares.FindForRoom(2, 10);
            Assert.Equal($"first {i}", shares.OwnerOf(gives));
            shares.Remove(gives);
            shares.Add(2, $"second {i}", 10);
        }

        Assert.Equal((5, 5), (shares.Of(1).Count, shares.Of(2).Count));
        Assert.Equal(CompactSourceUsage<string>.None, shares.FindForRoom(1, 10));
        Assert.Equal(CompactSourceUsage<string>.None, shares.FindForRoom(2, 10));
        Assert.NotEqual(CompactSourceUsage<string>.None, shares.FindForRoom(3, 10));
    }

    private static void CheckRoom(CompactSourceUsage<string> shares, List<One> all, ulong asks, long more)
    {
        long own = all.Where(one => one.Source == asks).Sum(one => one.Amount);
        int gives = shares.FindForRoom(asks, more);
        var bySource = all.GroupBy(one => one.Source).Select(of => (of.Key, Amount: of.Sum(one => one.Amount),
            Stillest: of.First())).ToArray();
        if (gives == CompactSourceUsage<string>.None)
        {
            // Of those that have most, which may be several.
            long most = bySource.Length == 0 ? 0 : bySource.Max(of => of.Amount);
            Assert.True(bySource.Length == 0 || bySource.Where(of => of.Amount == most).Any(of =>
                of.Key == asks || of.Stillest.Amount == 0 || own + more > most - of.Stillest.Amount));
            return;
        }

        (ulong source, long amount, One stillest) = bySource.Single(of => of.Key == shares.SourceOf(gives));
        Assert.Equal(bySource.Max(of => of.Amount), amount);
        Assert.Equal(stillest.Name, shares.OwnerOf(gives));
        Assert.NotEqual(asks, source);
        Assert.True(own + more <= amount - stillest.Amount);
    }

    private sealed class One(ulong source, string name, long amount)
    {
        public ulong Source => source;

        public string Name => name;

        public long Amount { get; set; } = amount;

        public int Number { get; set; }
    }
}
