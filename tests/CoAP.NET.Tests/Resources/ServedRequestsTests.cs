using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

public sealed class ServedRequestsTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 4)]
    [InlineData(10, 4)]
    [InlineData(1000, 3)]
    public void All_shards_together_serve_at_most_MaxServed_requests_and_nearly_as_many(int max, int shards)
    {
        using RunningRequestCounter served = new(max, shards);
        Random random = new(1);
        Stack<int> entered = new();
        for (int i = 0; i < 20 * max; i++)
        {
            int shard = random.Next(shards);
            if (served.TryEnter(shard, out _))
            {
                entered.Push(shard);
            }

            Assert.InRange(served.Count, entered.Count, max);
            if (random.Next(8) == 0 && entered.TryPop(out int left))
            {
                served.Exit(left);
            }
        }

        while (served.TryEnter(0, out _))
        {
            entered.Push(0);
        }

        Assert.InRange(served.Count, max - (shards * Math.Min(64, max / 8)), max);
        foreach (int shard in entered)
        {
            served.Exit(shard);
        }

        Assert.Equal(0, served.Count);
    }

    [Fact]
    public async Task WhenIdleAsync_completes_when_the_last_request_of_any_shard_has_ended()
    {
        using RunningRequestCounter served = new(100, 2);
        Assert.True(served.TryEnter(0, out _));
        Assert.True(served.TryEnter(1, out _));
        served.Stop();
        Task idle = served.WhenIdleAsync();
        served.Exit(1);
        Assert.False(idle.IsCompleted);
        served.Exit(0);
        await idle.WaitAsync(FromMinutes(2));

        // Requests that arrived before the stop may come out of a block; at the end of the grace period they are too late.
        Assert.True(served.TryEnter(1, out _));
        served.Exit(1);
        served.Abort();
        Assert.False(served.TryEnter(1, out _));
    }
}
