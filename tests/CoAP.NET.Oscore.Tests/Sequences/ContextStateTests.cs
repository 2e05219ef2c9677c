namespace CoAP.NET.Oscore.Tests.Sequences;

public sealed class ContextStateTests
{
    private readonly MemoryOscoreStore _store = new();
    private readonly VirtualScheduler _scheduler = new(VirtualSchedulerMode.Inline);
    private readonly VirtualClock _clock = new();

    [Fact]
    public async Task A_new_context_takes_request_0_and_after_an_orderly_end_not_again()
    {
        OscoreContextState state = await OpenAsync();
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(0));
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(2));
        await state.CloseAsync(default);
        state = await OpenAsync();
        Assert.Equal(OscoreReplayState.Synchronized, state.Window.State);
        Assert.Equal(OscoreReplayVerdict.Replayed, state.Window.Take(2));
        Assert.Equal(OscoreReplayVerdict.Replayed, state.Window.Take(0));
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(1));
    }

    [Fact]
    public async Task After_a_crash_the_window_is_lost_also_when_no_number_of_our_own_was_used()
    {
        OscoreContextState state = await OpenAsync();
        state.Window.Take(0);
        Assert.Equal(OscoreReplayState.Lost, (await OpenAsync()).Window.State);

        // What an older end noted must not come back.
        state = await OpenAsync();
        state.Window.Synchronize(5);
        await state.CloseAsync(default);
        state = await OpenAsync();
        state.Window.Take(6);
        Assert.Equal(OscoreReplayState.Lost, (await OpenAsync()).Window.State);
    }

    [Fact]
    public async Task Numbers_go_on_above_those_that_were_reserved()
    {
        OscoreContextState state = await OpenAsync();
        Assert.Equal(0UL, await state.Sequence.TakeAsync(default));
        state = await OpenAsync();
        Assert.Equal(OscoreSequence.MinStep, await state.Sequence.TakeAsync(default));
        await state.CloseAsync(default);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => state.Sequence.TakeAsync(default).AsTask());
        state = await OpenAsync();
        Assert.Equal(OscoreSequence.MinStep * 2, await state.Sequence.TakeAsync(default));
    }

    [Fact]
    public async Task A_window_that_is_lost_at_the_end_stays_lost()
    {
        await OpenAsync();
        OscoreContextState state = await OpenAsync();
        await state.CloseAsync(default);
        Assert.Equal(OscoreReplayState.Lost, (await OpenAsync()).Window.State);
    }

    private async Task<OscoreContextState> OpenAsync()
    {
        using OscoreParameters parameters = new([1, 2, 3], [1], [2]);
        return await OscoreContextState.OpenAsync(parameters, _store, _scheduler, _clock, default);
    }
}
