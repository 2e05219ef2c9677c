namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>What is tested of every timing with a lower bound of its own.</summary>
public abstract class BoundedTimingTest : TimingTest
{
    [Fact]
    public void It_is_never_below_its_lower_bound_nor_above_60_s()
    {
        for (int i = 0; i < 50; i++)
        {
            Answer(0.001);
        }

        Assert.Equal(0.0625, Waits(1)[0]);
        Assert.Equal(60, Waits(30)[^1]);
        Answer(150);
        Assert.Equal(60, Waits(1)[0]);
    }
}
