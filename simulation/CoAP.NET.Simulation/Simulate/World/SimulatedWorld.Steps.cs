using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate;

// What the steps do, and what becomes of what they began.
internal sealed partial class SimulatedWorld
{
    private static readonly TimeSpan s_reorderingWindow = TimeSpan.FromSeconds(9);

    private void Do(Step step)
    {
        SimulatedNode node = Nodes[step.Node];
        switch (step.Kind)
        {
            case StepKind.Request:
                Begin(step, node, token => Send(step, node, token));
                break;
            case StepKind.Ping:
                Begin(step, node, token => node.Endpoint.PingAsync(Nodes[step.Peer].Uri, token));
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
            Patience = step.Patience,
        };
        if (step.Upload > 0)
        {
            request.Content = CoapContent.Binary(Answers.Upload(step.Id, step.Upload));
        }

        if (step.WantsNoResponse)
        {
            request.NoResponse = Options.NoResponseClasses.All;
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
            token => node.Endpoint.ObserveAsync(request, new CoapObserveOptions { OnNotification = live.OnNotification }, token));
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
                outcome = exception.GetType().Name;
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
        || (code == CoapCode.TooManyRequests && step.Route == SimulatedRoute.Limited)
        || ((code == CoapCode.GatewayTimeout || code == CoapCode.BadGateway) && step.Route == SimulatedRoute.Forward);
}
