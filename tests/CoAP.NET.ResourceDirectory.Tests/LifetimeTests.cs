namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Lifetimes over a month, in virtual time.</summary>
[Collection(VirtualTimeCollection.Name)]
public class LifetimeTests
{
    [Fact]
    [Rfc("9176-5-5", "9176-5.3-1")]
    public async Task For_thirty_days_those_are_found_who_refresh_and_no_others()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        List<string> locations = [];
        for (int i = 0; i < 20; i++)
        {
            // The default, and others.
            locations.Add(await world.RegisterAsync(i % 4 == 0 ? $"ep=n{i}" : $"ep=n{i}&lt={i * 10_000}", $"</{i}>"));
        }

        List<int> counts = [];
        for (int day = 1; day <= 30; day++)
        {
            world.Clock.Advance(TimeSpan.FromHours(24));
            for (int i = 0; i < 20; i += 4)
            {
                Assert.Equal(CoapCode.Changed, (await world.PostAsync(locations[i])).Code);
            }

            int expected = Enumerable.Range(0, 20).Count(i => i % 4 == 0 || i * 10_000 > day * 86_400);
            Assert.Equal(expected, world.Directory.Count);
            Assert.Equal(expected, CoapLinkFormat.Parse(await world.LinksAsync()).Count);
            counts.Add(world.Directory.GetCounters().Held);
        }

        // What can still be refreshed goes a day later.
        Assert.Equal(5, counts[^1]);
        world.Clock.Advance(TimeSpan.FromDays(3));
        Assert.Equal((0, 0L, 0), (world.Directory.GetCounters().Held, world.Directory.GetCounters().Bytes,
            world.Directory.GetCounters().Sources));
    }

    [Fact]
    public async Task The_longest_lifetime_is_kept_and_the_shortest_ends_after_a_second()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        await world.RegisterAsync("ep=long&lt=4294967295", "</1>");
        await world.RegisterAsync("ep=short&lt=1", "</2>");
        int both = world.Directory.Count;

        world.Clock.Advance(TimeSpan.FromMilliseconds(1_001));
        int one = world.Directory.Count;
        world.Clock.Advance(TimeSpan.FromDays(365));

        Assert.Equal((2, 1, 1), (both, one, world.Directory.Count));
    }
}
