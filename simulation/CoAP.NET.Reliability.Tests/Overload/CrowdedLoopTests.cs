using CoAP.NET.Execution;

namespace CoAP.NET.Reliability.Tests.Overload;

/// <summary>Receiving threads that handlers keep busy.</summary>
public sealed class CrowdedLoopTests
{
    [Fact]
    public void A_loop_is_crowded_when_it_spends_most_of_its_time_in_user_code()
    {
        BlockingScheduler scheduler = new();
        WatchedLoop loop = new(scheduler);
        Assert.True(loop.TryStart());
        scheduler.RunFirst();
        Assert.Equal(["calm", "crowded", "crowded", "calm"], loop.Seen);
    }

    /// <summary>Threads that do nothing until they are told to.</summary>
    private sealed class BlockingScheduler : CoapThreadScheduler
    {
        private readonly List<(Action<object?> Work, object? State)> _held = [];

        public override bool Queue(Action<object?> work, object? state)
        {
            _held.Add((work, state));
            return true;
        }

        public void RunFirst() => _held[0].Work(_held[0].State);
    }

    /// <summary>A loop that is looked at while it is in user code, and while it is not.</summary>
    private sealed class WatchedLoop(CoapThreadScheduler scheduler) : ReceiveLoop(scheduler)
    {
        public List<string> Seen { get; } = [];

        protected override LoopCountersAndLogger? ActiveReports => null;

        protected override TimeSpan HandOverAfter => Timeout.InfiniteTimeSpan;

        protected override void Run(ReceiveLoopOwnership role)
        {
            const int Looks = 32;
            LookOften(Looks);
            role.EnterUserCode();
            LookOften(Looks);
            role.ExitUserCode();

            // A pause is not the end of it.
            LookOften(Looks / 4);
            LookOften(Looks);
            MarkEnded();
        }

        private void LookOften(int times)
        {
            for (int i = 0; i < times; i++)
            {
                Look(i);
            }

            Seen.Add(IsCrowded ? "crowded" : "calm");
        }
    }
}
