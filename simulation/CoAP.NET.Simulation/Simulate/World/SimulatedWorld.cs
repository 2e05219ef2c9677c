using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// One run of a scenario: the endpoints, the network between them and the clock, on one thread. Nothing of it reads another clock or draws
/// other chance than that of the scenario.
/// </summary>
internal sealed class SimulatedWorld
{
    private const int NotificationsToNoticeThem = 12;
    private const int MaxEventsInWindow = 100_000;

    private static readonly TimeSpan s_reorderingWindow = TimeSpan.FromSeconds(9);

    // How long observers may take: a registration that failed waits up to five minutes for the next one, and its copies go out over one and
    // a half.
    private static readonly TimeSpan s_recovery = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan s_slack = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_quiet = TimeSpan.FromHours(2);

    // What has no end goes on at a clock that stands still. A slow transfer takes any number of events, but few of them at a time; one that
    // goes to and fro for ever is left over when all is to be quiet.
    private static readonly TimeSpan s_eventWindow = TimeSpan.FromSeconds(100);

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
        // Whatever the library throws into the clock is what is looked for.
        catch (Exception exception)
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
        using ITimer timer = Clock.CreateTimer(over => ((TaskCompletionSource)over!).TrySetResult(), over, time,
            Timeout.InfiniteTimeSpan);
        using CancellationTokenRegistration registration =
            cancellationToken.UnsafeRegister((over, token) => ((TaskCompletionSource)over!).TrySetCanceled(token), over);
        await over.Task;
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
            foreach (SimulatedNode node in Nodes.Where(node => node.Plan.Serves))
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
            foreach ((int id, int runs) in node.Runs.Where(run => run.Value > 1))
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

    /// <summary>Everything is well from now on: what is under way has to end, and observers have to hear of the last state.</summary>
    private void Recover()
    {
        Network.Heal();
        Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(20));
        foreach (SimulatedNode node in Nodes)
        {
            node.RebindBack();
        }

        // Late datagrams come, and nodes that are down come back.
        AdvanceBy(TimeSpan.FromSeconds(210));
        foreach (SimulatedNode node in Nodes.Where(node => node.Plan.Serves))
        {
            node.Change(SimulatedRoute.State);
            node.Change(SimulatedRoute.LargeState);
        }

        TimeSpan well = Clock.Elapsed;
        TimeSpan[] free = [.. Nodes.Select(_ => well)];
        AdvanceBy(TimeSpan.FromSeconds(5));
        while (IsInProgress(free)
            || _observations.Exists(observation => IsBehind(observation) && Clock.Elapsed < LatestOf(observation, well, free)))
        {
            AdvanceBy(TimeSpan.FromSeconds(30));
        }

        foreach (LiveObservation observation in _observations.Where(IsBehind))
        {
            Violate(
                CheckKind.LastState,
                $"observation {observation.Step.Id} is {observation.Observation!.State} with {observation.Observation.Latest} "
                    + $"({observation.Observation.Error?.Message}) and not with "
                    + $"value {observation.Observed.ValueOf(observation.Step.Route)}",
                observation.Observer.Plan.Index,
                observation.Observed.Plan.Index);
        }
    }

    private bool IsInProgress(TimeSpan[] free)
    {
        bool isUnderWay = false;
        foreach (Operation operation in _pending.Where(operation => operation.Latest >= Clock.Elapsed))
        {
            isUnderWay = true;
            foreach (int server in Scenario.ServersOf(operation.Step))
            {
                free[server] = Clock.Elapsed;
            }
        }

        return isUnderWay;
    }

    // A server that may serve few requests at a time refuses those that register again as long as it serves others, which it may do for
    // hours.
    private static TimeSpan LatestOf(LiveObservation observation, TimeSpan well, TimeSpan[] free) =>
        s_recovery + (observation.Observed.Plan.MaxRequestsServed > 0 ? free[observation.Observed.Plan.Index] : well);

    // A server that takes no further observers says so, and is asked ever more rarely.
    private static bool IsBehind(LiveObservation observation) =>
        observation.Observation is { State: not CoapObserveState.NotObserving } && observation.Start == observation.Observer.Starts
            && !observation.HasLast && !BelievesTooMuch(observation);

    // A Max-Age that was changed on the way is believed: until it is over the observer has no reason to ask.
    private static bool BelievesTooMuch(LiveObservation observation) =>
        observation.Observation!.Latest is { } latest && latest.MaxAge > TimeSpan.FromSeconds(observation.Observed.Plan.MaxAge);

    private void Do(Step step)
    {
        SimulatedNode node = Nodes[step.Node];
        switch (step.Kind)
        {
            case StepKind.Request:
                Begin(step, node, token => Send(step, node, token));
                break;
            case StepKind.Ping:
                Begin(step, node, token => node.Endpoint.PingAsync(Nodes[step.Peer].Uri, cancellationToken: token));
                break;
            case StepKind.Observe:
                Observe(step, node);
                break;
            case StepKind.Unobserve:
                if (_observations.Find(one => one.Step.Id == step.Id) is { } ended)
                {
                    _observations.Remove(ended);
                    ended.End();
                }

                break;
            case StepKind.Change:
                node.Change(step.Route);
                Note(step.Node, "changes", step.Id, node.ValueOf(step.Route));
                break;
            case StepKind.Conditions:
                Network.Conditions = ConditionsOf(step);
                break;
            case StepKind.Partition:
                Network.Partition(node.Address with { Port = 0 }, Nodes[step.Peer].Address with { Port = 0 });
                break;
            case StepKind.Block:
                Network.Block(node.Address with { Port = 0 }, Nodes[step.Peer].Address with { Port = 0 });
                break;
            case StepKind.Heal:
                Network.Heal();
                break;
            case StepKind.Restart:
                node.Restart(TimeSpan.FromMilliseconds(step.Time));
                break;
            case StepKind.Rebind:
                node.Rebind(_port++);
                break;
            default:
                Clock.JumpWallClock(TimeSpan.FromMilliseconds(step.Time));
                break;
        }
    }

    private static NetworkConditions ConditionsOf(Step step) => new()
    {
        Loss = step.Loss / 1000.0,
        Duplication = step.Duplication / 1000.0,
        Corruption = step.Corruption / 1000.0,
        Reordering = step.Reordering / 1000.0,
        ReorderingWindow = s_reorderingWindow,
        MinDelay = TimeSpan.FromMilliseconds(step.MinDelay),
        MaxDelay = TimeSpan.FromMilliseconds(step.MaxDelay),
    };

    private Task<CoapResponse> Send(Step step, SimulatedNode node, CancellationToken token)
    {
        CoapRequest request = new(step.Method, $"{Nodes[step.Peer].Uri}{SimulatedNode.PathOf(step.Route)}?{Answers.Query(step)}")
        {
            Confirmable = !step.Non,
            Timeout = step.Timeout > 0 ? TimeSpan.FromMilliseconds(step.Timeout) : null,
            TooManyRequests = step.TooManyRequests,
        };
        if (step.Upload > 0)
        {
            request.Content = CoapContent.Binary(Answers.Upload(step.Id, step.Upload));
        }

        if (step.WantsNoResponse)
        {
            request.NoResponse = NoResponseClasses.All;
        }

        return Plant is { } plant
            ? plant.SendAsync(step, request, node.Endpoint.SendAsync, token)
            : node.Endpoint.SendAsync(request, token);
    }

    private void Observe(Step step, SimulatedNode node)
    {
        LiveObservation live = new(this, step, node, Nodes[step.Peer]);
        CoapRequest request = new(CoapMethod.Get, Nodes[step.Peer].Uri + SimulatedNode.PathOf(step.Route)) { Confirmable = !step.Non };
        Begin(step, node,
            token => node.Endpoint.ObserveAsync(request, new CoapObservationOptions { OnNotification = live.OnNotification }, token));
        if (_pending.Count > 0 && _pending[^1].Step == step)
        {
            _observations.Add(live);
        }
    }

    private void Begin(Step step, SimulatedNode node, Func<CancellationToken, Task> begin)
    {
        // From the clock of the run, so that cancelling is an event like any other.
        CancellationTokenSource? cancellation = step.CancelAfter > 0
            ? new CancellationTokenSource(TimeSpan.FromMilliseconds(step.CancelAfter), Clock)
            : null;
        TimeSpan now = Clock.Elapsed;
        TimeSpan latest = now + LongestTimes.Of(Scenario, step);
        if (step.Timeout > 0)
        {
            latest = Min(latest, now + TimeSpan.FromMilliseconds(step.Timeout) + s_slack);
        }

        if (step.CancelAfter > 0)
        {
            latest = Min(latest, now + TimeSpan.FromMilliseconds(step.CancelAfter));
        }

        _operations++;
        Note(step.Node, step.Kind == StepKind.Request ? "asks" : step.Kind == StepKind.Ping ? "pings" : "observes", step.Id,
            step.Kind == StepKind.Request ? step.Method : null);
        _pending.Add(new Operation
        {
            Step = step,
            Node = node,
            Task = begin(cancellation?.Token ?? CancellationToken.None),
            Begun = now,
            Latest = latest,
            Cancellation = cancellation,
            Start = node.Starts,
        });
    }

    private static TimeSpan Min(TimeSpan one, TimeSpan other) => one < other ? one : other;

    /// <summary>Looks at what has ended and what should have.</summary>
    private void Look()
    {
        TimeSpan now = Clock.Elapsed;
        for (int i = 0; i < _pending.Count; i++)
        {
            Operation operation = _pending[i];
            if (operation.Task.IsCompleted)
            {
                _pending.RemoveAt(i--);
                operation.Cancellation?.Dispose();
                Settle(operation);
                if (now > operation.Latest)
                {
                    Report(operation, CheckKind.Ends, $"ended {now - operation.Latest} too late");
                }
            }
            else if (now > operation.Latest)
            {
                Report(operation, CheckKind.Ends, $"did not end by {operation.Latest}");
            }
        }

        foreach (SimulatedNode node in Nodes)
        {
            CheckBounds(node);
        }
    }

    private void Report(Operation operation, CheckKind check, string what)
    {
        if (!operation.IsReported)
        {
            operation.IsReported = true;
            Step step = operation.Step;
            Violate(check, $"{step.Kind} {step.Id} of node {step.Node} to node {step.Peer} {what}", step.Node, step.Peer);
        }
    }

    private void Settle(Operation operation)
    {
        Step step = operation.Step;
        string outcome;
        switch (operation.Task)
        {
            case { IsCanceled: true } when operation.Cancellation?.IsCancellationRequested == true:
                outcome = "cancelled";
                break;
            case { IsCanceled: true }:
                outcome = "cancelled by nobody";
                Report(operation, CheckKind.TypedError, "was cancelled, but nobody cancelled it");
                break;
            case { Exception.InnerException: CoapTimeoutException timeout }:
                outcome = timeout.Reason.ToString();
                break;
            case { Exception.InnerException: CoapException exception }:
                outcome = exception.Error.ToString();
                break;
            case { Exception.InnerException: { } exception }:
                outcome = exception.GetType().Name;
                Report(operation, CheckKind.TypedError, $"failed with {exception}");
                break;
            case Task<CoapResponse> answered:
                outcome = Check(operation, answered.Result);
                break;
            case Task<CoapObservation> observed:
                outcome = "observation";
                if (_observations.Find(one => one.Step == step) is { } live)
                {
                    live.Observation = observed.Result;
                }
                else
                {
                    _ = observed.Result.DisposeAsync().AsTask();
                }

                break;
            default:
                outcome = "pong";
                break;
        }

        if (operation.Task is Task<CoapObservation> { IsCompletedSuccessfully: false })
        {
            _observations.RemoveAll(one => one.Step == step);
        }

        Note(step.Node, "has of", step.Id, outcome);
        _outcomes[outcome] = _outcomes.GetValueOrDefault(outcome) + 1;
    }

    private string Check(Operation operation, CoapResponse response)
    {
        Step step = operation.Step;
        if (response.IsNone)
        {
            if (!step.WantsNoResponse)
            {
                Report(operation, CheckKind.RightAnswer, "got no response, though it wants one");
            }

            return "none";
        }

        if (!response.IsSuccess)
        {
            if (!Scenario.Corrupts && !IsExpected(step, response.Code))
            {
                Report(operation, CheckKind.RightAnswer, $"got {response.Code} {response.GetText()}");
            }

            return response.Code.ToString();
        }

        int server = step.Route == SimulatedRoute.Forward ? Nodes[step.Peer].Plan.ForwardsTo : step.Peer;
        byte[] expected = Answers.Download(step.Id, server, step.Download);
        if (!Scenario.Corrupts && !response.Payload.Span.SequenceEqual(expected))
        {
            bool isOther = response.Payload.Length < 6 || !response.Payload.Span[..6].SequenceEqual(expected.AsSpan(0, 6));
            Report(operation, isOther ? CheckKind.RightAnswer : CheckKind.Bodies,
                $"got {response} that is not the answer to it: {response.GetText()[..Math.Min(response.Payload.Length, 60)]}");
        }

        return response.Code.ToString();
    }

    private static bool IsExpected(Step step, CoapCode code) =>
        code == CoapCode.ServiceUnavailable || code == CoapCode.RequestEntityIncomplete || code == CoapCode.RequestEntityTooLarge
        || code == CoapCode.Unauthorized
        || (code == CoapCode.InternalServerError && step.Failure != HandlerFailure.None)
        || (code == CoapCode.NotFound && step.Failure == HandlerFailure.ReturnsNull)
        || (code == CoapCode.TooManyRequests && step.Route == SimulatedRoute.Limited)
        || ((code == CoapCode.GatewayTimeout || code == CoapCode.BadGateway) && step.Route == SimulatedRoute.Forward);
}
