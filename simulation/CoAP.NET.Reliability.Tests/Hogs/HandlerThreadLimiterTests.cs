using CoAP.NET.Execution;

namespace CoAP.NET.Reliability.Tests.Hogs;

/// <summary>How many handlers run at a time on threads of the library: few that compute, as many as there are of those that wait.</summary>
public sealed class HandlerThreadLimiterTests
{
    [Fact]
    public void No_further_thread_is_started_while_a_handler_computes()
    {
        Threads threads = new(maxBusy: 1);
        Waiting queue = new(threads, waiting: 100);
        threads.Start();
        threads.All.Ask(queue);
        Assert.False(threads.All.HasCapacity);
        Assert.True(threads.Look());
        Assert.True(threads.Look());
        Assert.Equal(0, queue.Started);
    }

    [Fact]
    public void Waiting_handlers_soon_have_a_thread_each()
    {
        Threads threads = new(maxBusy: 1) { AllWait = true };
        Waiting queue = new(threads, waiting: 255);
        threads.Start();
        threads.All.Ask(queue);
        int looks = 1;
        while (threads.Look())
        {
            looks++;
        }

        Assert.Equal(255, queue.Started);
        Assert.InRange(looks, 1, 20);
    }

    [Fact]
    public void A_computing_handler_counts_as_busy_among_waiting_handlers()
    {
        Threads threads = new(maxBusy: 2) { AllWait = true };
        for (int i = 0; i < 10; i++)
        {
            threads.Start();
        }

        threads.Computing.Add(threads.Working[3]);
        Waiting queue = new(threads, waiting: 5);
        threads.All.Ask(queue);
        threads.Look();
        Assert.Equal(1, queue.Started);
        threads.Computing.Add(threads.Working[5]);
        threads.Look();
        Assert.Equal(1, queue.Started);
    }

    [Fact]
    public void Thread_capacity_is_given_to_the_queues_in_turn()
    {
        Threads threads = new(maxBusy: 1) { AllWait = true };
        threads.Start();
        Waiting[] queues = [new(threads, waiting: 10), new(threads, waiting: 10)];
        threads.All.Ask(queues[0]);
        threads.All.Ask(queues[1]);
        threads.Look();
        Assert.Equal([1, 0], queues.Select(queue => queue.Started));
        threads.Look();
        Assert.Equal([2, 1], queues.Select(queue => queue.Started));
    }

    [Fact]
    public void A_thread_that_ends_frees_its_capacity()
    {
        Threads threads = new(maxBusy: 2);
        threads.Start();
        threads.StartAndEnd();
        Assert.True(threads.All.HasCapacity);
        Waiting queue = new(threads, waiting: 2);
        threads.All.Ask(queue);
        threads.Look();
        Assert.Equal(1, queue.Started);
    }

    [Fact]
    public void Surplus_threads_may_end_when_handlers_that_waited_compute_again()
    {
        Threads threads = new(maxBusy: 2) { AllWait = true };
        for (int i = 0; i < 6; i++)
        {
            threads.Start();
        }

        threads.All.Ask(new Waiting(threads, waiting: 0));
        threads.Computing.UnionWith(threads.Working.Take(5));
        threads.Look();
        Assert.Equal([true, true, false], [threads.All.TryTakeSurplus(), threads.All.TryTakeSurplus(), threads.All.TryTakeSurplus()]);
    }

    [Fact]
    public void Handlers_get_no_more_threads_than_their_maximum()
    {
        Threads threads = new(maxBusy: 1, maxThreads: 3) { AllWait = true };
        Assert.Equal([true, true, true, false], Enumerable.Range(0, 4).Select(_ => threads.All.TryReserve()));
        threads.All.Release();
        Assert.True(threads.All.TryReserve());
    }

    [Fact]
    public void A_later_queue_tries_again_to_start_a_thread_after_a_thread_could_not_be_started()
    {
        Threads threads = new(maxBusy: 1) { AllWait = true, Refuses = true };
        threads.Start();
        Waiting queue = new(threads, waiting: 1);
        threads.All.Ask(queue);
        threads.Refuses = false;
        threads.All.Ask(new Waiting(threads, waiting: 0));
        Assert.Equal(2, threads.Asked);
    }

    /// <summary>Threads that are counted and do nothing.</summary>
    private sealed class Threads : CoapThreadScheduler
    {
        public Threads(int maxBusy, int maxThreads = int.MaxValue) =>
            All = new HandlerThreadLimiter(this, maxThreads, maxBusy, (thread, _) => AllWait && !Computing.Contains(thread));

        public HandlerThreadLimiter All { get; }

        public bool AllWait { get; init; }

        public bool Refuses { get; set; }

        public int Asked { get; private set; }

        public HashSet<Thread> Computing { get; } = [];

        public List<Thread> Working { get; } = [];

        public override bool Queue(Action<object?> work, object? state)
        {
            Asked++;
            return !Refuses;
        }

        /// <summary>Looks as the watchdog does.</summary>
        public bool Look() => All.Look(0);

        /// <summary>A thread begins to run handlers.</summary>
        public void Start()
        {
            All.TryReserve();
            Working.Add(On(All.Enter));
        }

        /// <summary>A thread begins and ends.</summary>
        public void StartAndEnd()
        {
            All.TryReserve();
            On(() =>
            {
                All.Enter();
                All.Leave();
            });
            All.Release();
        }

        private static Thread On(Action action)
        {
            Thread thread = new(() => action());
            thread.Start();
            thread.Join();
            return thread;
        }
    }

    private sealed class Waiting(Threads threads, int waiting) : IHandlerQueue
    {
        public int Started { get; private set; }

        public bool TryStartNext(out bool waitsForMore)
        {
            if (Started == waiting)
            {
                waitsForMore = false;
                return false;
            }

            Started++;
            threads.Start();
            waitsForMore = Started < waiting;
            return true;
        }
    }
}
