namespace CoAP.NET.Tests.Execution;

public sealed class StageTimeTests : IDisposable
{
    public StageTimeTests() => StageTime.Begin();

    public void Dispose() => StageTime.End();

    [Fact]
    public void What_was_read_is_kept_until_it_is_forgotten()
    {
        Assert.False(StageTime.TryGet(out _));
        StageTime.Keep(1000);
        Assert.True(StageTime.TryGet(out long now));
        Assert.Equal(1000, now);
        StageTime.Keep(2000);
        StageTime.TryGet(out now);
        Assert.Equal(1000, now);
        StageTime.Forget();
        Assert.False(StageTime.TryGet(out _));
    }

    [Fact]
    public void User_code_reads_the_clock_itself_and_what_was_kept_holds_again_when_it_ended_soon()
    {
        StageTime.Keep(1000);
        StageTime.Pause();
        Assert.False(StageTime.TryGet(out _));
        StageTime.Keep(2000);
        Assert.False(StageTime.TryGet(out _));
        StageTime.Resume();
        Assert.True(StageTime.TryGet(out long now));
        Assert.Equal(1000, now);
    }

    [Fact]
    public void What_was_kept_before_long_user_code_is_forgotten()
    {
        StageTime.Keep(1000);
        StageTime.Pause();
        StageTime.Forget();
        Assert.False(StageTime.TryGet(out _));
        StageTime.Keep(2000);
        Assert.True(StageTime.TryGet(out long now));
        Assert.Equal(2000, now);
    }

    [Fact]
    public void A_thread_that_is_no_receive_loop_keeps_nothing()
    {
        StageTime.End();
        StageTime.Keep(1000);
        StageTime.Forget();
        StageTime.Pause();
        StageTime.Resume();
        StageTime.Keep(1000);
        Assert.False(StageTime.TryGet(out _));
    }
}
