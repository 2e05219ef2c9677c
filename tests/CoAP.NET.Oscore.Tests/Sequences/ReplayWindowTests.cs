using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Sequences;

public sealed class ReplayWindowTests
{
    [Fact]
    [Rfc("8613-7.4-1")]
    public void Number_0_is_accepted_once_and_then_a_replay()
    {
        OscoreReplayWindow window = new(64);
        Assert.True(window.MayTake(0));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(0));
        Assert.False(window.MayTake(0));
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(0));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(32)]
    [InlineData(63)]
    [InlineData(64)]
    [InlineData(65)]
    [InlineData(100)]
    [InlineData(4096)]
    public void Numbers_in_the_window_are_fresh_once_and_older_numbers_are_replays(int size)
    {
        OscoreReplayWindow window = new(size);
        window.Take(10_000);
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(10_000));
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(10_000UL - (ulong)size));
        if (size > 1)
        {
            Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(10_001UL - (ulong)size));
            Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(10_001UL - (ulong)size));
        }
    }

    [Fact]
    public void Checking_whether_a_number_may_be_accepted_does_not_change_the_window()
    {
        OscoreReplayWindow window = new(32);
        window.Take(5);

        // A forged request has any number that it likes.
        Assert.True(window.MayTake(OscoreSequence.End - 1));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(4));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(6));
    }

    [Fact]
    public void Numbers_of_five_bytes_are_distinguished()
    {
        OscoreReplayWindow window = new(64);
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(OscoreSequence.End - 1));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(OscoreSequence.End - 2));
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(OscoreSequence.End - 1));
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take((OscoreSequence.End - 1) & uint.MaxValue));
    }

    [Fact]
    public void A_lost_window_accepts_no_request_until_a_challenge_proves_its_freshness()
    {
        OscoreReplayWindow window = OscoreReplayWindow.Lost(64);
        Assert.Equal(OscoreReplayWindowStatus.Lost, window.State);
        Assert.Null(window.Save());
        Assert.True(window.MayTake(7));
        Assert.Equal(OscoreReplayVerdict.Unknown, window.Take(7));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Synchronize(9));
        Assert.Equal(OscoreReplayWindowStatus.Synchronized, window.State);
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(9));
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Take(8));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Take(10));

        // A second answer to the challenge is judged as any request.
        Assert.Equal(OscoreReplayVerdict.Replayed, window.Synchronize(7));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Synchronize(12));
        Assert.Equal(OscoreReplayVerdict.Fresh, window.Synchronize(11));
    }

    [Fact]
    public void A_number_taken_by_several_threads_is_fresh_once()
    {
        OscoreReplayWindow window = new(4096);
        int fresh = 0;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (ulong number = 0; number < 4_000; number++)
            {
                if (window.Take(number) == OscoreReplayVerdict.Fresh)
                {
                    Interlocked.Increment(ref fresh);
                }
            }
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        Assert.Equal(4_000, fresh);
    }

    [Fact]
    public void A_window_equals_a_set_of_numbers_also_after_saving_and_restoring()
    {
        for (int seed = 0; seed < 300; seed++)
        {
            Random random = new(seed);
            int size = random.Next(1, 200);
            OscoreReplayWindow window = new(size);
            HashSet<ulong> came = [];
            ulong highest = 0;
            ulong floor = 0;
            for (int i = 0; i < 200; i++)
            {
                ulong number = Math.Min(OscoreSequence.End - 1, random.Next(20) == 0
                    ? highest + (ulong)random.Next(500)
                    : (ulong)Math.Max(0, (long)highest + random.Next(-size - 5, 8)));
                bool isFresh = number >= floor && came.Add(number)
                    && (came.Count == 1 || number > highest || highest - number < (ulong)size);
                Assert.Equal(isFresh, window.MayTake(number));
                Assert.Equal(isFresh ? OscoreReplayVerdict.Fresh : OscoreReplayVerdict.Replayed, window.Take(number));
                highest = Math.Max(highest, isFresh ? number : 0);
                if (random.Next(30) == 0)
                {
                    // A smaller window forgets, a larger one knows no more than was kept.
                    int next = random.Next(1, 200);
                    floor = highest + 1 > (ulong)size ? Math.Max(floor, highest + 1 - (ulong)size) : floor;
                    window = OscoreReplayWindow.From(next, window.Save()!);
                    size = next;
                }
            }
        }
    }
}
