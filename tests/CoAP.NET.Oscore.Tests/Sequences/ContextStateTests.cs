using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Sequences;

public sealed class ContextStateTests
{
    private readonly MemoryOscoreStore _store = new();
    private readonly VirtualScheduler _scheduler = new(runsInline: true);
    private readonly VirtualClock _clock = new();

    [Fact]
    public async Task A_new_context_accepts_request_0_and_refuses_its_replay_after_an_orderly_end()
    {
        OscoreContextState state = await OpenAsync();
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(0));
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(2));
        await state.CloseAsync(default);
        state = await OpenAsync();
        Assert.Equal(OscoreReplayWindowStatus.Synchronized, state.Window.State);
        Assert.Equal(OscoreReplayVerdict.Replayed, state.Window.Take(2));
        Assert.Equal(OscoreReplayVerdict.Replayed, state.Window.Take(0));
        Assert.Equal(OscoreReplayVerdict.Fresh, state.Window.Take(1));
    }

    [Fact]
    public async Task The_window_is_lost_after_a_crash_even_if_no_own_number_was_used()
    {
        OscoreContextState state = await OpenAsync();
        state.Window.Take(0);
        Assert.Equal(OscoreReplayWindowStatus.Lost, (await OpenAsync()).Window.State);

        // What an older end noted must not come back.
        state = await OpenAsync();
        state.Window.Synchronize(5);
        await state.CloseAsync(default);
        state = await OpenAsync();
        state.Window.Take(6);
        Assert.Equal(OscoreReplayWindowStatus.Lost, (await OpenAsync()).Window.State);
    }

    [Fact]
    public async Task Sequence_numbers_continue_above_the_reserved_ones()
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
    public async Task A_lost_window_stays_lost_after_an_orderly_end()
    {
        await OpenAsync();
        OscoreContextState state = await OpenAsync();
        await state.CloseAsync(default);
        Assert.Equal(OscoreReplayWindowStatus.Lost, (await OpenAsync()).Window.State);
    }

    private async Task<OscoreContextState> OpenAsync()
    {
        using OscoreParameters parameters = new([1, 2, 3], [1], [2]);
        return await OscoreContextState.OpenAsync(parameters, _store, _scheduler, _clock, default);
    }
}
