namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Who holds most, against a count by hand.</summary>
public sealed class SourceMemberCountsTests
{
    [Theory]
    [InlineData(12)]
    [InlineData(2_000)]
    public void The_source_with_the_most_members_is_found_after_random_additions_and_removals(int sources)
    {
        Random random = new(5);
        SourceMemberCounts<Member> shares = new();
        List<Member> all = [];
        Dictionary<uint, int> counts = [];
        for (int step = 0; step < 8_000; step++)
        {
            if (all.Count == 0 || random.Next(100) < (step / 1_000 % 2 == 0 ? 70 : 30))
            {
                // Those that begin at the same place too.
                Member member = new((uint)random.Next(1, sources) * (step % 2 == 0 ? 1u : 1u << 16));
                all.Add(member);
                shares.Add(member);
                counts[member.Source] = counts.GetValueOrDefault(member.Source) + 1;
            }
            else
            {
                int at = random.Next(all.Count);
                Member member = all[at];
                all.RemoveAt(at);
                shares.Remove(member);
                counts[member.Source]--;
            }

            if (step % 1_500 == 0)
            {
                shares.Reserve(step);
            }

            Assert.Equal((all.Count, counts.Values.Max()), (shares.Count, shares.Most));
            uint some = counts.Keys.ElementAt(random.Next(counts.Count));
            Assert.Equal(counts[some], shares.CountOf(some));
            if (step % 50 == 0)
            {
                Assert.Equal(all.Where(member => member.Source == some).ToHashSet(), shares.Of(some).ToHashSet());
                Member[] greediest = [.. shares.OfGreediest()];
                Assert.Equal(shares.Most > 1 ? shares.Most : all.Count, greediest.Length);
                Assert.All(greediest, member => Assert.Equal(shares.Most, counts[member.Source]));
            }
        }
    }

    private sealed class Member(uint source) : ISourceOwned
    {
        public uint Source => source;

        public long LastOfUse => 0;
    }
}
