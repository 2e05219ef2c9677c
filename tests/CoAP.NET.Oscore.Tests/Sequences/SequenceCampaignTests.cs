using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Oscore.Tests.Sequences;

/// <summary>
/// Processes that open one context, take numbers, crash and are superseded, over a store that loses writes, reports those that it made as
/// failed, and makes those of the dead later: no number is given out twice, ever. One thread; the seed says all.
/// </summary>
public sealed class SequenceCampaignTests
{
    private const int Worlds = 60;
    private const int Steps = 100;

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("8613-7.2-1")]
    public void No_number_is_issued_twice_under_lost_writes_and_crashes()
    {
        int factor = CampaignSetting.Of("COAP_TEST_CAMPAIGN", 1);
        int seed = CampaignSetting.Of("COAP_TEST_SEED", 40);
        long taken = 0;
        long died = 0;
        for (int world = 0; world < Worlds * factor; world++)
        {
            World run = new(seed + world);
            run.Run(Steps);
            taken += run.Taken;
            died += run.Died;
        }

        // What nothing happens in shows nothing.
        Assert.True(taken > Worlds * 5, $"Only {taken} numbers were taken.");
        Assert.True(died > Worlds / 2, $"Only {died} processes died.");
    }

    [Theory]
    [InlineData(Defect.BeginsBelowTheBound)]
    [InlineData(Defect.UsesWhatIsNotConfirmed)]
    [InlineData(Defect.KnowsNoEpochs)]
    public void Each_planted_defect_is_found(Defect defect)
    {
        int world = 0;
        while (!new World(world, defect).Finds(Steps))
        {
            Assert.True(++world < 200, "200 runs did not find it.");
        }
    }

    public enum Defect
    {
        None,
        BeginsBelowTheBound,
        UsesWhatIsNotConfirmed,
        KnowsNoEpochs,
    }

    private sealed class World(int seed, Defect defect = Defect.None) : IOscoreStore
    {
        private static readonly OscoreStoreKey s_key = new(new byte[32]);

        private readonly Random _random = new(seed);
        private readonly VirtualClock _clock = new();
        private readonly ChaosStore _store = new();
        private readonly List<(OscoreSequence Sequence, VirtualScheduler Scheduler)> _processes = [];
        private readonly List<Task<OscoreStoredState>> _opening = [];
        private readonly HashSet<ulong> _used = [];
        private ulong _epoch;

        public int Taken { get; private set; }

        public int Died { get; private set; }

        public bool Finds(int steps)
        {
            for (int i = 0; i < steps * 4; i++)
            {
                if (!Step())
                {
                    return true;
                }
            }

            return false;
        }

        public void Run(int steps)
        {
            for (int i = 0; i < steps; i++)
            {
                Assert.True(Step(), $"Seed {seed}: a number was given out twice at step {i}.");
            }
        }

        async ValueTask<OscoreStoredState> IOscoreStore.OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken)
        {
            OscoreStoredState state = await _store.OpenAsync(key, cancellationToken);
            _epoch = state.Epoch;
            return defect == Defect.BeginsBelowTheBound && state.Next > 0
                ? new OscoreStoredState(state.Epoch, state.Next - 1, state.IsNew, state.Received)
                : state;
        }

        ValueTask IOscoreStore.ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken)
        {
            ValueTask reserving = _store.ReserveAsync(key, defect == Defect.KnowsNoEpochs ? _epoch : epoch, bound, cancellationToken);
            return defect == Defect.UsesWhatIsNotConfirmed ? default : reserving;
        }

        ValueTask IOscoreStore.CloseAsync(
            OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken) =>
            _store.CloseAsync(key, epoch, received, cancellationToken);

        // False when a number was given out twice.
        private bool Step()
        {
            switch (_random.Next(10))
            {
                case 0 when _processes.Count + _opening.Count < 3:
                    _opening.Add(((IOscoreStore)this).OpenAsync(s_key, default).AsTask());
                    break;
                case 1 when _processes.Count > 0 && _random.Next(4) == 0:
                    // Its threads stop; what it has asked the store for may still take effect.
                    _processes.RemoveAt(_random.Next(_processes.Count));
                    Died++;
                    break;
                case 2:
                    _clock.Advance(FromMilliseconds(_random.Next(2_000)));
                    break;
                case 3 or 4 when _store.Waiting > 0:
                    int fate = _random.Next(10);
                    _store.End(_random.Next(_store.Waiting), fate < 7 ? CallFate.Confirmed : (CallFate)(fate % 2 + 1));
                    break;
                case 5 when _processes.Count > 0:
                    _processes[_random.Next(_processes.Count)].Scheduler.RunOne();
                    break;
                default:
                    return Take();
            }

            foreach (Task<OscoreStoredState> state in _opening.Where(state => state.IsCompletedSuccessfully))
            {
                VirtualScheduler scheduler = new();
                _processes.Add((new OscoreSequence(this, s_key, state.Result, scheduler, _clock), scheduler));
            }

            _opening.RemoveAll(state => state.IsCompleted);
            return true;
        }

        private bool Take()
        {
            if (_processes.Count == 0)
            {
                return true;
            }

            OscoreSequence sequence = _processes[_random.Next(_processes.Count)].Sequence;
            int count = _random.Next(1, 12);
            for (int i = 0; i < count && sequence.TryTake(out ulong number) == SenderSequenceNumberResult.Taken; i++)
            {
                if (!_used.Add(number))
                {
                    return false;
                }

                Taken++;
            }

            return true;
        }
    }
}
