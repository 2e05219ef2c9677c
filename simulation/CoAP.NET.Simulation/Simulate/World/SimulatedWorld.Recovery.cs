using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate;

// What has to come about when the network is well again.
internal sealed partial class SimulatedWorld
{
    // How long observers may take: a registration that failed waits up to five minutes for the next one, and its copies go out over one and
    // a half.
    private static readonly TimeSpan s_recovery = TimeSpan.FromMinutes(15);

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
        foreach (SimulatedNode node in Nodes.Where(static node => node.Plan.Serves))
        {
            node.Change(SimulatedRoute.State);
            node.Change(SimulatedRoute.LargeState);
        }

        TimeSpan well = Clock.Elapsed;
        TimeSpan[] free = [.. Nodes.Select(_ => well)];
        AdvanceBy(TimeSpan.FromSeconds(5));
        while (IsUnderWay(free)
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

    private bool IsUnderWay(TimeSpan[] free)
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
}
