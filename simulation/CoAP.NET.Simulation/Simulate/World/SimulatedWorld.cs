using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// One run of a scenario: the endpoints, the network between them and the clock, on one thread. Nothing of it reads another clock or draws
/// other chance than that of the scenario.
/// </summary>
internal sealed partial class SimulatedWorld
{
    private static readonly TimeSpan s_slack = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_quiet = TimeSpan.FromHours(2);

    // What has no end goes on at a clock that stands still. A slow transfer takes any number of events, but few of them at a time; one that
    // goes to and fro for ever is left over when all is to be quiet.
    private static readonly TimeSpan s_eventWindow = TimeSpan.FromSeconds(100);

    private const int NotificationsToNoticeThem = 12;
    private const int MaxEventsInWindow = 100_000;

    private readonly List<JournalEntry> _journal = [];
    private readonly List<Violation> _violations = [];
    private readonly List<Operation> _pending = [];
    private readonly List<LiveObservation> _observations = [];
    private readonly SortedDictionary<string, int> _outcomes = new(StringComparer.Ordinal);
    private readonly int _thread = Environment.CurrentManagedThreadId;
    private int _operations;
    private int _events;
    private TimeSpan _windowEnd;
    private int _port = 60_000;

    private SimulatedWorld(Scenario scenario, Plant? plant)
    {
        Scenario = scenario;
        Plant = plant;
        Scheduler = new VirtualScheduler(Clock);
        Network = new InMemoryNetwork(Clock, new InMemoryNetworkOptions { Seed = scenario.Seed, MaxTraceLength = 1_000_000 })
        {
            Filter = packet =>
            {
                CheckThread();
                return plant?.OnPacket(packet) ?? NetworkVerdict.Pass;
            },
        };
        Log = new ErrorLog(error => Violate(CheckKind.Errors, error));
        Nodes = [.. scenario.Nodes.Select(node => new SimulatedNode(this, node))];
    }

    public Scenario Scenario { get; }

    public Plant? Plant { get; }

    public VirtualClock Clock { get; } = new();

    public VirtualScheduler Scheduler { get; }

    public InMemoryNetwork Network { get; }

    public ErrorLog Log { get; }

    public IReadOnlyList<SimulatedNode> Nodes { get; }

    /// <summary>Whether a node is being closed, for which the run stands still.</summary>
    public bool IsClosing { get; set; }

    /// <summary>Runs a scenario to its end.</summary>
    public static RunResult Run(Scenario scenario, Plant? plant = null)
    {
        SimulatedWorld world = new(scenario, plant);

        // Where a context is set, as by whoever runs tests, awaiting code goes on elsewhere.
        SynchronizationContext? context = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(null);
        try
        {
            world.RunAll();
        }
#pragma warning disable CA1031 // whatever the library throws into the clock is what is looked for
        catch (Exception exception)
#pragma warning restore CA1031
        {
            world.Violate(CheckKind.Errors, $"the run itself threw: {exception}");
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }

        return world.MakeResult();
    }

    public void Note(int node, string what, int id, object? result) =>
        _journal.Add(new JournalEntry(Clock.Elapsed, node, what, id, result));

    public void Violate(CheckKind check, string what, params int[] nodes)
    {
        lock (_violations)
        {
            if (_violations.Count < 20)
            {
                _violations.Add(new Violation(check, what, Clock.Elapsed, nodes));
            }
        }
    }

    /// <summary>To be called wherever code of the run goes on: another thread would make each run another one.</summary>
    public void CheckThread()
    {
        if (Environment.CurrentManagedThreadId != _thread && !IsClosing)
        {
            Violate(CheckKind.OneThread, $"something went on on another thread: {Environment.StackTrace}");
        }
    }

    public void CheckBounds(SimulatedNode node)
    {
        if (TableBounds.Exceeded(node.Plan, node.Endpoint) is { } exceeded)
        {
            Violate(CheckKind.Bounds, $"node {node.Plan.Index} has {exceeded}", node.Plan.Index);
        }
    }

    /// <summary>A delay whose end, cancelled or not, runs on the thread that caused it; that of the runtime may go elsewhere.</summary>
    public async Task DelayAsync(TimeSpan time, CancellationToken cancellationToken)
    {
        TaskCompletionSource over = new();
        using ITimer timer = Clock.CreateTimer(static over => ((TaskCompletionSource)over!).TrySetResult(), over, time,
            Timeout.InfiniteTimeSpan);
        using CancellationTokenRegistration registration =
            cancellationToken.UnsafeRegister(static (over, token) => ((TaskCompletionSource)over!).TrySetCanceled(token), over);
        await over.Task.ConfigureAwait(false);
    }

    private void RunAll()
    {
        Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(10));
        foreach (SimulatedNode node in Nodes)
        {
            node.Start();
        }

        Plant?.Begin(this);
        foreach (Step step in Scenario.Steps)
        {
            AdvanceTo(TimeSpan.FromMilliseconds(step.At));
            Do(step);
            Look();
        }

        Recover();
        Quieten();
        foreach (SimulatedNode node in Nodes)
        {
            node.Close();
        }
    }

    private void AdvanceTo(TimeSpan target)
    {
        while (Clock.NextDue is { } due && due <= target)
        {
            if (due > _windowEnd)
            {
                _windowEnd = due + s_eventWindow;
                _events = 0;
            }

            if (++_events > MaxEventsInWindow)
            {
                throw new InvalidOperationException(
                    $"{MaxEventsInWindow:N0} times something was due within {s_eventWindow.TotalSeconds} s, and there is no end.");
            }

            Clock.AdvanceTo(due);
            Look();
        }

        Clock.AdvanceTo(target);
        Look();
    }

    private void AdvanceBy(TimeSpan time) => AdvanceTo(Clock.Elapsed + time);

    /// <summary>Nobody wants anything any more: after the longest lifetime there is nothing left.</summary>
    private void Quieten()
    {
        foreach (LiveObservation observation in _observations)
        {
            observation.End();
        }

        AdvanceBy(TimeSpan.FromMinutes(10));

        // Observers whose cancellation was lost are noticed when they are notified; those that are sent Non-confirmable notifications by
        // the eleventh, which has to be acknowledged.
        for (int i = 0; i < NotificationsToNoticeThem; i++)
        {
            foreach (SimulatedNode node in Nodes.Where(static node => node.Plan.Serves))
            {
                node.Change(SimulatedRoute.State);
                node.Change(SimulatedRoute.LargeState);
            }

            AdvanceBy(TimeSpan.FromMinutes(2));
        }

        AdvanceBy(s_quiet);
        foreach (SimulatedNode node in Nodes)
        {
            if (TableBounds.Left(node.Endpoint) is { } left)
            {
                Violate(CheckKind.Quiet, $"node {node.Plan.Index} still has {left}", node.Plan.Index);
            }

            if (node.Buffers.Lost is > 0 and int lost)
            {
                Violate(CheckKind.Buffers, $"{lost} buffers of node {node.Plan.Index} did not come back", node.Plan.Index);
            }
        }

        if (Clock.TimerCount > 0)
        {
            Violate(CheckKind.Timers, $"{Clock.TimerCount} timers wait, the next one for {Clock.NextDue}, though nothing is under way");
        }
    }

    private RunResult MakeResult()
    {
        foreach (Operation operation in _pending)
        {
            Report(operation, CheckKind.Ends, "never ended");
        }

        CheckRuns();
        IReadOnlyList<NetworkEvent> trace = Network.Trace;
        return new RunResult(Scenario, _violations, TraceHash.Of(trace, _journal), Clock.Elapsed, _operations, _outcomes, trace, _journal);
    }

    private void CheckRuns()
    {
        if (Scenario.Corrupts)
        {
            return;
        }

        foreach (SimulatedNode node in Nodes)
        {
            foreach ((int id, int runs) in node.Runs.Where(static run => run.Value > 1))
            {
                Step step = Scenario.Steps.First(step => step.Id == id && step.Kind == StepKind.Request);
                TimeSpan begun = TimeSpan.FromMilliseconds(step.At);
                int[] involved = step.Peer == node.Plan.Index ? [step.Node, step.Peer] : [step.Node, step.Peer, node.Plan.Index];
                if (!involved.Any(index => Nodes[index].LastUpset >= begun || Nodes[index].HasForgotten))
                {
                    Violate(CheckKind.RunsOnce, $"node {node.Plan.Index} ran the handler of {step.Method} {id} {runs} times", involved);
                }
            }
        }
    }
}
